import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

struct Verify: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prove stored photos again, and repair them.",
    discussion: """
      Reads every blob and preview, compares it with its name and its record, and walks it. A damaged \
      file is moved to quarantine/ in the cache folder, so that it is never shown; nothing is \
      deleted. Exits 65 when something is wrong, or still is after --repair.

      --repair brings pictures back from the originals that an import noted, as long as they are \
      unchanged, and puts records right. A file that holds more than its picture is made anew, from the \
      original or from itself, and the old one is deleted. --from looks for originals in other folders too, also for \
      photos that were attached from a file.

      EXAMPLES:
        petspot verify
        petspot verify --all --json
        petspot verify --all --dry-run
        petspot verify --all --repair --from ~/Photos
      """)

  @Flag(help: "Prove the whole cache and its catalog, not only what reports show.")
  var all = false

  @Flag(help: "Bring back what can be brought back.")
  var repair = false

  @Option(
    name: .customLong("from"), parsing: .singleValue,
    help: ArgumentHelp("With --repair: look for originals here too.", valueName: "dir"),
    completion: .directory, transform: RawArguments.requiredPath)
  var sources: [FilePath] = []

  @Flag(help: "Decode every blob too; takes about as long as importing them.")
  var decode = false

  @Flag(help: "Change nothing: damaged files stay where they are.")
  var dryRun = false

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if repair, dryRun { throw ValidationError("--repair and --dry-run exclude each other.") }
    if !sources.isEmpty, !repair { throw ValidationError("--from needs --repair.") }
  }

  func run() async throws {
    // What is stored came from strangers.
    let decoders = options.startDecoders(trust: .strangers, spares: 1, warm: decode)
    let cache = try options.openStores().photos
    let verifier = PhotoVerifier(
      cache: cache, pipeline: PhotoPipeline(policy: cache.policy, decoders: decoders),
      options: verifyOptions)
    let options = options
    let report = try await Interruption.cancelling { () async throws(StoreError) in
      try await verifier.run { finding throws(StoreError) in
        try options.print(finding.json, orText: finding.line)
      }
    }
    try options.print(report.json, orText: report.lines)
    guard !report.isClean else { return }
    Output.note("petspot: " + report.advice(repairing: repair))
    throw ExitCode(65)
  }

  private var verifyOptions: VerifyOptions {
    var options = VerifyOptions()
    options.all = all
    options.dryRun = dryRun
    options.decodes = decode
    options.repairs = repair
    options.sources = sources
    return options
  }
}
