import ArgumentParser
import PetSpotStores
import ReportFlow

struct Browse: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.browse.abstract", "help.browse.discussion",
    examples: """
      petspot browse
      petspot browse --port 8090 --json
      """)

  @Option(help: .words("help.browse.port", "port"))
  var port = 0

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if !(0...65_535).contains(port) { throw ValidationError(text: "usage.notAPort") }
  }

  func run() async throws {
    try await ServerLaunch.begin(
      self, options, listening: L10n.words("browse.listening", ["url": "{url}"]), isLibrary: true)
  }
}
