import ArgumentParser

/// `--jobs`, of the commands that work on many photos.
struct JobsOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "Photos to work on at a time (default: one per core).",
        pl: "Ile zdjęć naraz (domyślnie tyle, ile rdzeni)."), valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, jobs < 1 { throw UsageWords.atLeastOne("--jobs") }
  }
}
