import ArgumentParser
import ReportFlow

/// `petspot path`: prints the path of the cache folder.
struct Path: PetspotCommand {
  static let configuration = CommandConfiguration(
    "help.path.abstract", "help.path.discussion",
    examples: """
      petspot path
      du -sh "$(petspot path)"
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    try options.print(["path": options.cachePath], orText: options.cachePath)
  }
}
