package import ArgumentParser
import ReportFlow

/// `petspot browse`: serves the library's photos to a browser.
package struct Browse: ServerCommand {
  package static let configuration = CommandConfiguration(
    "help.browse.abstract", "help.browse.discussion",
    examples: """
      petspot browse
      petspot browse --port 8090 --json
      """)

  @Option(help: .words("help.browse.port", "port"))
  package var port = 0

  @OptionGroup package var options: GlobalOptions

  package init() {}

  package func validate() throws {
    if !(0...65_535).contains(port) { throw ValidationError(text: "usage.notAPort") }
  }

  package func listening(at url: String) -> String {
    L10n.words("browse.listening", ["url": url])
  }
}
