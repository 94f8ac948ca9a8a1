import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import Synchronization
import SystemPackage

/// `petspot inspect`: describes files and what would be done to them, or finds the damaged ones below folders. Stores
/// nothing.
struct Inspect: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.inspect.abstract", "help.inspect.discussion",
    examples: """
      petspot inspect rex.heic
      petspot inspect *.jpg --json
      petspot inspect ~/Photos
      petspot inspect ~/Photos --json | jq -r 'select(.verdict == "damaged").error.path'
      """)

  @Argument(
    help: .words("help.inspect.paths", "path"), completion: .file(), transform: ImportInput.all)
  var given: [[ImportInput]] = []

  @Flag(help: .words("help.inspect.all"))
  var all = false

  @OptionGroup var selection: FileSelection
  @OptionGroup var parallel: JobsOption
  @OptionGroup var options: GlobalOptions

  private var paths: [FilePath] { selection.paths(and: given) }

  func validate() throws {
    if given.isEmpty, selection.filesFrom == nil {
      throw ValidationError(text: "usage.inspectNothing")
    }
    for case .objects(let address) in given.joined() {
      throw ValidationError(text: "usage.webAddress", ["address": address])
    }
  }

  func run() async throws {
    let paths = paths
    if selection.filesFrom != nil || paths.contains(where: \.isFolder) {
      try selection.checkInputs(paths)
      return try await inspectAll(paths)
    }
    try inspectEach(paths)
  }

  /// Describes each of the files.
  private func inspectEach(_ files: [FilePath]) throws {
    let pipeline = PhotoPipeline(
      decoding: options.startDecoders(for: files.count == 1 ? files[0] : nil))
    var exitCode: Int32 = 0
    for file in files {
      do throws(StoreError) {
        let inspection = try StoreError.catching {
          try pipeline.inspect(.file(file), decodes: true)
        }
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

  /// Inspects all files below the paths, and reports those that are damaged or lossy.
  private func inspectAll(_ paths: [FilePath]) async throws {
    let jobs = parallel.jobs ?? ProcessInfo.processInfo.activeProcessorCount
    // Files are inspected in parallel, so each one gets a single thread.
    var policy = PhotoPolicy()
    policy.threadsPerPhoto = 1
    let decoding = options.startDecoders(maxWorkers: jobs)
    let inspector = PhotoInspector(
      pipeline: PhotoPipeline(policy: policy, decoding: decoding),
      options: selection.importOptions, cache: options.cacheFolder, jobs: jobs)
    let output = InspectionOutput(
      json: options.json, quiet: options.quiet, verbose: options.verbose, all: all)
    Interruption.reactions.withLock { $0.aroundSuspension = { output.pausing($0) } }
    output.drawProgress()
    if output.showsProgress {
      let selected = selection.importOptions
      let cache = options.cacheFolder
      Thread.detachNewThread {
        output.expect(ImportSurvey(of: paths, options: selected, cache: cache))
      }
    }
    let isComplete = try await Interruption.withCancellation { () async throws(StoreError) in
      try await inspector.inspect(paths) { try output.report($0) }
    }
    try output.finish()
    if !isComplete { throw StoreError.cancelled }
    if output.exitCode != 0 { throw ExitCode(output.exitCode) }
  }
}
