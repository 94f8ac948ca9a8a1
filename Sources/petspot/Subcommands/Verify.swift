import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

struct Verify: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Prove stored photos again, and repair them.",
      pl: "Sprawdź ponownie zapisane zdjęcia i napraw je."),
    discussion: HelpText.text(
      en: """
        Reads every blob and preview, compares it with its name and its record, and walks it; then \
        every entry of the catalog and every file without one. With --attached only photos that \
        reports show are looked at, which is quicker; what was left out is told. A damaged file is moved \
        to quarantine/ in the cache folder, so that it is never shown; nothing is deleted. Exits 65 when something is wrong, or still is after --repair, and 74 when the \
        store of objects could not give a picture, which is named and counted.

        --repair brings pictures back from the originals that an import noted, as long as they are \
        unchanged, and puts records right. A file that holds more than its picture is made anew, from the \
        original or from itself, and the old one is deleted. --from looks for originals in other folders too, also for \
        photos that were attached from a file.

        With --shard several machines share the work: started as 1/3, 2/3 and 3/3, each proves a third of \
        the photos and files, and the first one also the entries that point at them. When all have repaired, \
        prove the whole once more.
        """,
      pl: """
        Czyta każdy zapisany obraz i podgląd, porównuje z nazwą i wpisem i przechodzi jego budowę; potem każdy \
        wpis katalogu i każdy plik bez wpisu. Z --attached sprawdza tylko zdjęcia ze zgłoszeń, co jest \
        szybsze; mówimy, co pominięto. Uszkodzony plik trafia do quarantine/ w folderze danych, więc nigdy nie \
        jest pokazywany; nic nie jest usuwane. Kończy się kodem 65, gdy coś jest nie tak albo nadal jest po \
        --repair, a kodem 74, gdy magazyn obiektów nie mógł wydać obrazu, który jest wymieniony i policzony.

        --repair przywraca obrazy z oryginałów zapamiętanych przy imporcie, o ile się nie zmieniły, i \
        poprawia wpisy. Plik, który zawiera więcej niż swój obraz, powstaje na nowo, z oryginału lub z siebie, \
        a stary jest usuwany. --from szuka oryginałów także w innych folderach, również dla zdjęć dodanych z \
        pliku.

        Z --shard kilka maszyn dzieli się pracą: jako 1/3, 2/3 i 3/3 każda sprawdza trzecią część zdjęć i \
        plików, a pierwsza także wpisy, które na nie wskazują. Gdy wszystkie skończą naprawiać, sprawdź \
        jeszcze raz całość.
        """,
      examples: """
        petspot verify
        petspot verify --json
        petspot verify --dry-run
        petspot verify --repair --from ~/Photos
        petspot verify --attached
        petspot verify --repair --shard 2/3
        """))

  @Flag(
    help: Speech.pick(
      en: "Prove the whole cache and its catalog (the default).",
      pl: "Sprawdź wszystkie dane i ich katalog (domyślnie)."))
  var all = false

  @Flag(
    help: Speech.pick(
      en: "Prove only photos that reports show, not the library.",
      pl: "Sprawdź tylko zdjęcia ze zgłoszeń, bez biblioteki."))
  var attached = false

  @Flag(help: Speech.pick(en: "Bring back what can be brought back.", pl: "Przywróć, co się da."))
  var repair = false

  @Option(
    name: .customLong("from"), parsing: .singleValue,
    help: ArgumentHelp(
      Speech.pick(
        en: "With --repair: look for originals here too.",
        pl: "Z --repair: szukaj oryginałów także tutaj."), valueName: "dir"),
    completion: .directory, transform: RawArguments.requiredPath)
  var sources: [FilePath] = []

  @Flag(
    help: Speech.pick(
      en: "Decode every blob too; takes about as long as importing them.",
      pl: "Dekoduj też każde zdjęcie; trwa mniej więcej tyle, co import."))
  var decode = false

  @Flag(
    help: Speech.pick(
      en: "Change nothing: damaged files stay where they are.",
      pl: "Niczego nie zmieniaj: uszkodzone pliki zostają na miejscu."))
  var dryRun = false

  @OptionGroup var work: ShardOption
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if repair, dryRun { throw UsageWords.excluding("--repair", "--dry-run") }
    if all, attached { throw UsageWords.excluding("--all", "--attached") }
    if !sources.isEmpty, !repair { throw UsageWords.needing("--from", "--repair") }
  }

  func run() async throws {
    // What is stored came from strangers.
    let decoders = options.startDecoders(trust: .strangers, spares: 1, warm: decode)
    guard let cache = try options.openStoresIfThere()?.photos else {
      return try options.print(
        work.marking(VerifyReport.nothing.json), orText: VerifyReport.nothing.lines)
    }
    let verifier = PhotoVerifier(
      cache: cache, pipeline: PhotoPipeline(policy: cache.policy, decoders: decoders),
      options: verifyOptions)
    let options = options
    let report = try await Interruption.cancelling { () async throws(StoreError) in
      try await verifier.run { finding throws(StoreError) in
        let known = try finding.photo.map { photo throws(StoreError) in
          try cache.knownAs(photo: photo)
        }
        try options.print(
          finding.json(known?.name, known?.original),
          orText: finding.line(known?.name, known?.original))
      }
    }
    try options.print(
      work.marking(report.json.adding(["leftOut": attached ? "library" : .null])),
      orText: report.lines)
    if attached, !options.json, !options.quiet { try Output.line(VerifyReport.leftOut) }
    guard !report.isClean else { return }
    Output.note("petspot: " + report.advice(repairing: repair))
    throw ExitCode(report.isIncomplete ? 74 : 65)
  }

  private var verifyOptions: VerifyOptions {
    var options = VerifyOptions()
    options.all = !attached
    options.dryRun = dryRun
    options.decodes = decode
    options.repairs = repair
    options.sources = sources
    options.shard = work.part
    return options
  }
}
