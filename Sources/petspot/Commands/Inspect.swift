import ArgumentParser
import PhotoAttachments
import SystemPackage
import PhotoIngestion
import ReportFlow

/// `petspot inspect`: describes files and what would be done to them. Stores nothing.
struct Inspect: PetspotCommand {
  static let configuration = CommandConfiguration(
    "help.inspect.abstract", "help.inspect.discussion",
    examples: """
      petspot inspect rex.heic
      petspot inspect *.jpg --json
      """)

  @Argument(
    help: .words("help.inspect.files", "file"), completion: .file(),
    transform: RawArguments.requiredPath)
  var files: [FilePath]

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let pipeline = PhotoPipeline(
      decoders: options.startDecoders(for: files.count == 1 ? files[0] : nil))
    var exitCode: Int32 = 0
    for file in files {
      do throws(StoreError) {
        let inspection = try StoreError.catching { try pipeline.inspect(.file(file)) }
        try options.print(
          inspection.json(path: file),
          orText: inspection.report(path: file, verbose: options.verbose, on: .standardOutput()))
      } catch {
        // A bad file doesn't stop the next ones. The exit code is that of the first failure.
        let code = Failure(error, about: file).report(json: options.json)
        if exitCode == 0 { exitCode = code }
      }
    }
    if exitCode != 0 { throw ExitCode(exitCode) }
  }
}
