import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import SystemPackage

struct Move: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Take everything to other stores: from the cache folder to a database, or back.",
      pl: "Przenieś wszystko do innych magazynów: z folderu danych do bazy lub z powrotem."),
    discussion: HelpText.text(
      en: """
        Copies photos, the library, reports under way and announcements from the stores that \
        --cache, --database and --blobs name to those that --to-database, --to-blobs and --to-cache \
        name. The source stays as it is, and nothing that the target has is changed. Every picture is \
        proved by its digest as it is read and as it is written. Start it again after it was stopped or \
        killed, or when something was added since: what is there already is not copied again.

        Exits 65 when something could not be taken along: a picture that is gone or damaged (mend it \
        with petspot verify --repair and move again), or an entry that the target has in another state. \
        Let nobody work on reports meanwhile. Imports that workers share stay where they are, and of \
        files what this machine knows is taken.

        What was erased or forgotten in one of them isn't brought back: it stays out, and goes where the \
        target has it still.
        """,
      pl: """
        Kopiuje zdjęcia, bibliotekę, zgłoszenia w toku i ogłoszenia z magazynów podanych przez --cache, \
        --database i --blobs do tych, które podają --to-database, --to-blobs i --to-cache. Źródło zostaje, \
        jak jest, a to, co jest w celu, się nie zmienia. Każdy obraz jest sprawdzany skrótem przy odczycie \
        i przy zapisie. Po przerwaniu lub gdy coś doszło, uruchom polecenie ponownie: to, co już jest, nie \
        jest kopiowane drugi raz.

        Kończy się kodem 65, gdy czegoś nie udało się przenieść: obrazu brak lub jest uszkodzony (napraw \
        poleceniem petspot verify --repair i przenieś ponownie) albo wpis ma w celu inny stan. Niech nikt w \
        tym czasie nie pracuje nad zgłoszeniami. Importy dzielone między procesy zostają na miejscu, a o \
        plikach przenoszone jest to, co wie ta maszyna.

        Co usunięto w jednym z magazynów, nie wraca: nie jest przenoszone i znika z celu, jeśli tam \
        jeszcze jest.
        """,
      examples: """
        petspot move --to-database postgresql://db/petspot --to-blobs s3://pets
        petspot move --database postgresql://db/petspot --blobs s3://pets --to-cache ~/pets
        """))

  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "The PostgreSQL database that records go to; a password belongs in ~/.pgpass.",
        pl: "Baza PostgreSQL, do której trafią dane; hasło wpisz do ~/.pgpass."),
      valueName: "url"),
    transform: RawArguments.text)
  var toDatabase: String?

  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "The S3-compatible store that pictures go to.",
        pl: "Magazyn zgodny z S3, do którego trafią obrazy."), valueName: "url"),
    transform: RawArguments.text)
  var toBlobs: String?

  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "The folder for what goes neither to a database nor to a store.",
        pl: "Folder na to, co nie trafia do bazy ani do magazynu."), valueName: "dir"),
    completion: .directory, transform: RawArguments.requiredTextPath)
  var toCache: FilePath?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if toDatabase == nil, toBlobs == nil, toCache == nil {
      throw UsageWords.needing("move", "--to-database / --to-blobs / --to-cache")
    }
    if let toDatabase { try GlobalOptions.check(database: toDatabase) }
    if let toBlobs, let problem = Stores.problem(ofBlobsAddress: toBlobs) {
      throw ValidationError(problem)
    }
    let (from, to) = (options.cacheFolder, targetFolder)
    if Stores.areSamePictures((from, options.blobs), (to, toBlobs)) {
      throw ValidationError(
        Speech.pick(
          en:
            "The pictures would stay where they are, and two catalogs would delete each other's. Name "
            + "another place with --to-blobs or --to-cache.",
          pl: "Obrazy zostałyby na miejscu, a dwa katalogi usuwałyby je sobie nawzajem. Podaj inne "
            + "miejsce opcją --to-blobs lub --to-cache."))
    }
    if toDatabase == options.database,
      toDatabase != nil || Stores.areSamePictures((from, nil), (to, nil))
    {
      throw Self.sameRecords
    }
  }

  private static var sameRecords: ValidationError {
    ValidationError(
      Speech.pick(
        en: "The records would stay where they are. Name another place with --to-database or "
          + "--to-cache.",
        pl: "Dane zostałyby na miejscu. Podaj inne miejsce opcją --to-database lub --to-cache."))
  }

  /// Where the target keeps what goes to no address.
  private var targetFolder: CacheFolder {
    toCache.map { CacheFolder(path: $0.string) } ?? options.cacheFolder
  }

  func run() async throws {
    let pool = WorkerPool(threadCount: 1)
    guard let source = try options.openStoresIfThere() else {
      throw Failure(
        .photo(.unreadable(.system(errno: ENOENT))), about: FilePath(options.cacheFolder.path))
    }
    let target = try Stores.open(
      targetFolder, database: toDatabase, blobs: toBlobs, pool: pool, decoders: nil, patience: 60)
    guard source.records.place != target.records.place else { throw Self.sameRecords }
    let (options, stopped) = (options, StopMark())
    let showsProgress = !options.quiet && !options.json && isatty(STDERR_FILENO) == 1
    let move = StoreMove(
      from: .init(source.photos, source.records), to: .init(target.photos, target.records),
      isStopped: { stopped.isSet }
    ) { summary in
      if showsProgress { Output.raw("\r\u{1B}[K" + summary.counts) }
    } tell: { photo throws(StoreError) in
      if showsProgress { Output.raw("\r\u{1B}[K") }
      try options.print(photo.json, orText: photo.line)
    }
    let summary = try await clearing(showsProgress) {
      try await Interruption.cancelling(telling: { stopped.set() }) {
        () async throws(StoreError) in
        try await source.photos.act { () throws(StoreError) in try move.run() }
      }
    }
    try options.print(summary.json, orText: summary.counts)
    if summary.isDone { return }
    Output.note("petspot: " + summary.advice)
    throw ExitCode(summary.isStopped ? StoreError.cancelled.exitCode : 65)
  }

  /// Takes the line of progress away, whatever came of the work.
  private func clearing<T>(_ isShown: Bool, _ work: () async throws -> T) async throws -> T {
    defer { if isShown { Output.raw("\r\u{1B}[K") } }
    return try await work()
  }
}
