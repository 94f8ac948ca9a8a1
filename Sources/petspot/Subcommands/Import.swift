import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

struct Import: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Import folders of photos into the library that reports attach from.",
      pl: "Importuj foldery zdjęć do biblioteki, z której zgłoszenia biorą zdjęcia."),
    discussion: HelpText.text(
      en: """
        Walks the folders and takes every photo it finds. A file that was imported before and has not \
        changed is not read again, and one bad file never stops the rest. Ctrl-C finishes what is in \
        flight; start the command again to go on.

        Originals are never touched, unless --delete-source or --move-source asks for it. Both keep \
        every original that holds more than its stored photo (motion video, depth map, second \
        picture, animation, more than 8 bits, colors outside sRGB, CMYK), or whose pixels were stored \
        from another file, and say so; --delete-lossy-source takes these too. A picture that was \
        encoded again because it was turned or is HEIC counts as whole, and metadata that was taken \
        out does not count. Moved originals lie below DIR as they lay below the path. \
        Nothing in a photo cache is ever imported or deleted. A run that is killed while it deletes \
        may leave an original as .petspot-delete-…-NAME; the next one with --delete-source renames it. \
        Of objects in a store only the version that was read is deleted.
        """,
      pl: """
        Przechodzi foldery i bierze każde znalezione zdjęcie. Plik zaimportowany wcześniej i niezmieniony nie \
        jest czytany ponownie, a jeden zły plik nigdy nie zatrzymuje reszty. Ctrl-C kończy to, co jest w \
        toku; uruchom polecenie ponownie, aby kontynuować.

        Oryginały nie są zmieniane, chyba że poprosisz o to opcją --delete-source lub --move-source. Obie \
        zostawiają każdy oryginał, który zawiera więcej niż zapisane zdjęcie (film, mapę głębi, drugi obraz, \
        animację, ponad 8 bitów, barwy spoza sRGB, CMYK) albo którego piksele zapisano z innego pliku, i \
        mówią o tym; --delete-lossy-source bierze także te. Obraz zakodowany ponownie, bo był obrócony lub w \
        HEIC, liczy się jako pełny, a usunięte metadane się nie liczą. Przeniesione oryginały leżą w DIR tak, \
        jak leżały w folderze. Nic z folderu danych PetSpot nie jest importowane ani usuwane. Import \
        przerwany siłą w trakcie usuwania może zostawić oryginał jako .petspot-delete-…-NAZWA; następny z \
        --delete-source przywraca mu nazwę. Z obiektów w magazynie usuwana jest tylko odczytana wersja.
        """,
      examples: """
        petspot import ~/Photos
        petspot import ~/Photos --report photos.html
        petspot import /media/card --include '*.heic' --dry-run
        petspot import ~/Photos --move-source ~/Imported
        petspot import 's3://photos/2026?endpoint=https://s3.example.org'
        petspot import /mnt/photos --distribute
        petspot attach --asset ID
        """))

  @Argument(
    help: ArgumentHelp(
      Speech.pick(
        en: "Folders and photos, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME.",
        pl: "Foldery i zdjęcia albo s3://BUCKET/PREFIX?endpoint=URL&region=NAME."),
      valueName: "path"),
    completion: .file(), transform: ImportInput.all)
  var given: [[ImportInput]]

  var paths: [FilePath] {
    given.joined().compactMap { if case .path(let path) = $0 { path } else { nil } }
  }

  /// The address of the store that is imported from, nil for folders.
  var objects: String? {
    if case .objects(let address)? = given.first?.first { address } else { nil }
  }

  @OptionGroup var parallel: JobsOption

  @Flag(
    help: ArgumentHelp(
      Speech.pick(
        en: "Tell what would be done and store nothing; decodes nothing, so it is quick.",
        pl: "Powiedz, co zostałoby zrobione, i nic nie zapisuj; nic nie dekoduje, więc "
          + "jest szybkie.")))
  var dryRun = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      Speech.pick(
        en: "Only files whose name matches; with a slash, the path below the folder.",
        pl: "Tylko pliki o pasującej nazwie; z ukośnikiem: ścieżce w folderze."),
      valueName: "glob"), transform: RawArguments.text)
  var include: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      Speech.pick(
        en: "Leave out files and folders that match.", pl: "Pomiń pasujące pliki i foldery."),
      valueName: "glob"),
    transform: RawArguments.text)
  var exclude: [String] = []

  @Flag(
    help: Speech.pick(
      en: "Take hidden files and folders too.", pl: "Bierz też ukryte pliki i foldery."))
  var hidden = false

  @Flag(
    help: Speech.pick(
      en: "Follow symbolic links that stay within the given folders.",
      pl: "Podążaj za dowiązaniami, które nie wychodzą z podanych folderów."))
  var followSymlinks = false

  @Flag(
    help: Speech.pick(
      en: "Follow symbolic links that lead out of the given folders as well.",
      pl: "Podążaj też za dowiązaniami, które wychodzą z podanych folderów."))
  var followOutside = false

  @Option(
    help: ArgumentHelp(
      Speech.pick(en: "Stop after this many failed files.", pl: "Przerwij po tylu błędach."),
      valueName: "n"))
  var maxErrors: Int?

  @Flag(
    help: Speech.pick(
      en: "Look again at unchanged files that were refused before.",
      pl: "Sprawdź ponownie niezmienione pliki, które wcześniej odrzucono."))
  var retryRefused = false

  @Flag(
    help: Speech.pick(
      en: "Take files in anew whose photos were forgotten.",
      pl: "Weź ponownie pliki, których zdjęcia usunięto z biblioteki."))
  var again = false

  @Flag(
    help: Speech.pick(
      en: "Make all sizes of the imported photos now, and not when one is first asked for.",
      pl: "Od razu zrób wszystkie rozmiary zaimportowanych zdjęć, a nie dopiero na żądanie."))
  var sizes = false

  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "Write a report; its ending chooses the kind.",
        pl: "Zapisz raport; końcówka nazwy wybiera rodzaj."), valueName: "file.html|.json|.csv"),
    completion: .file(extensions: ["html", "json", "csv"]),
    transform: RawArguments.requiredPath)
  var report: FilePath?

  @Flag(
    help: Speech.pick(
      en: "Delete each original once its stored photo was read back and proved.",
      pl: "Usuń każdy oryginał, gdy zapisane zdjęcie zostało odczytane i sprawdzone."))
  var deleteSource = false

  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "Move them to this folder instead of deleting them.",
        pl: "Przenieś je do tego folderu, zamiast usuwać."), valueName: "dir"),
    completion: .directory, transform: RawArguments.requiredPath)
  var moveSource: FilePath?

  @Flag(
    help: ArgumentHelp(
      Speech.pick(
        en: "With --delete-source or --move-source: also those that hold more than their "
          + "photo.",
        pl: "Z --delete-source lub --move-source: także te, które zawierają więcej niż "
          + "zapisane zdjęcie.")))
  var deleteLossySource = false

  @Flag(
    help: Speech.pick(
      en: "Do not ask before originals are deleted.", pl: "Nie pytaj przed usunięciem oryginałów."))
  var yes = false

  @Flag(
    help: Speech.pick(
      en: "Write the import down in the database and let workers do it (see petspot worker).",
      pl: "Zapisz import w bazie danych i zostaw go innym procesom (zob. petspot worker)."))
  var distribute = false

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    try validateDistribution()
    try ImportInput.check(Array(given.joined()))
    if objects != nil, moveSource != nil { throw UsageWords.excluding("s3://", "--move-source") }
    if let maxErrors, maxErrors < 1 { throw UsageWords.atLeastOne("--max-errors") }
    if deleteSource, moveSource != nil {
      throw UsageWords.excluding("--delete-source", "--move-source")
    }
    if deleteLossySource, !deleteSource, moveSource == nil {
      throw UsageWords.needing("--delete-lossy-source", "--delete-source / --move-source")
    }
    if let report, ImportReportFile.Kind(of: report) == nil {
      throw ValidationError(
        Speech.pick(
          en: "--report takes a name that ends in .html, .json or .csv.",
          pl: "--report przyjmuje nazwę z końcówką .html, .json lub .csv."))
    }
    if let moveSource,
      ImportOptions.isNoDestination(
        moveSource, importing: paths, into: options.cacheFolder)
    {
      throw ValidationError(
        Speech.pick(
          en: "--move-source takes a folder outside of what is imported and of every photo cache.",
          pl: "--move-source przyjmuje folder poza tym, co jest importowane, i poza folderami "
            + "danych PetSpot."))
    }
  }

  /// Fails when nothing that was named exists: its name is mistyped. Of several, each is reported as a file.
  func checkInputs() throws {
    let isMissing =
      !paths.isEmpty
      && paths.allSatisfy { path in
        var status = stat()
        return path.withPlatformString { lstat($0, &status) } != 0
          && [ENOENT, ENOTDIR].contains(errno)
      }
    guard isMissing, let path = paths.first else { return }
    throw Failure(.photo(.unreadable(.system(errno: ENOENT))), about: path)
  }

  func run() async throws {
    try checkInputs()
    if distribute { return try await runDistributed() }
    try checkConsent()
    // Nobody sits and waits for one photo of an import.
    let bench = try ImportBench(jobs: parallel.jobs, options, patience: 600)
    let cache = bench.stores.photos
    let teller = try about(report) { () throws(StoreError) in
      try ImportTeller(
        options: .init(
          json: options.json, quiet: options.quiet, verbose: options.verbose, dryRun: dryRun,
          moves: moveSource != nil),
        report: report, heading: heading, cache: cache)
    }
    var importOptions = importOptions
    importOptions.exclude += teller.unfinishedNames
    let importer = PhotoImporter(
      cache: cache, pipeline: bench.pipeline, options: importOptions)
    Interruption.aroundSuspension = { teller.pausing($0) }
    teller.drawProgress()
    defer { teller.close() }
    if teller.showsProgress, objects == nil {
      let (paths, importer) = (paths, importer)
      Thread.detachNewThread { teller.expect(importer.survey(paths)) }
    }
    let (paths, source, made) = (paths, try source(), SizesToMake(isWanted: sizes && !dryRun))
    let summary = try await Interruption.cancelling(telling: teller.tellStopping) {
      () async throws(StoreError) in
      guard let source else {
        return try await importer.run(paths) { file throws(StoreError) in
          made.note(file)
          try teller.tell(file)
        }
      }
      return try await importer.run(source) { file throws(StoreError) in
        made.note(file)
        try teller.tell(file)
      }
    }
    await made.make(in: cache, by: bench.pipeline, atOnce: cache.pool.threadCount)
    try teller.finish(summary)
    switch summary.stopped {
    case .interrupted: throw ExitCode(StoreError.cancelled.exitCode)
    case .tooManyErrors: throw ExitCode(65)
    case .none: if summary.failed > 0 { throw ExitCode(65) }
    }
  }

  /// The store that is imported from, nil for folders.
  func source() throws(StoreError) -> (any ObjectSource)? {
    try objects.map { address throws(StoreError) in
      try Stores.source(address, beside: options.blobs)
    }
  }

  /// What stands at the top of a report.
  var heading: ImportHeading {
    ImportHeading(
      folders: (objects.map { [$0] } ?? [])
        + paths.prefix(20).map(DisplayText.exact) + (paths.count > 20 ? ["…"] : []),
      command: ShellWords.line(["petspot"] + RawArguments.ofProcess().prefix(40)),
      date: Words.moment(Date()))
  }

  /// Says what becomes of originals before anything is begun, and asks at a terminal.
  func checkConsent() throws {
    guard deleteSource || moveSource != nil, !dryRun else { return }
    if !options.quiet {
      Output.note(
        "petspot: " + SourceConsent.meaning(movingTo: moveSource, inStore: objects != nil))
    }
    guard deleteSource, !yes, isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return }
    guard try SourceConsent.ask() else {
      Output.note(
        "petspot: " + Speech.pick(en: "Nothing was done.", pl: "Nic nie zostało zrobione."))
      throw ExitCode(StoreError.cancelled.exitCode)
    }
  }

  var importOptions: ImportOptions {
    var options = ImportOptions()
    options.dryRun = dryRun
    options.include = include
    options.exclude = exclude
    options.hidden = hidden
    options.followSymlinks = followSymlinks || followOutside
    options.followOutside = followOutside
    options.maxErrors = maxErrors
    options.deleteSource = deleteSource
    options.moveSource = moveSource
    options.deleteLossySource = deleteLossySource
    options.retryRefused = retryRefused
    options.again = again
    return options
  }
}
