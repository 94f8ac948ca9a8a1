import Glibc
import PetSpotStores
import ArgumentParser
import PhotoAttachments
import SystemPackage
import PhotoIngestion
import ReportFlow

/// `petspot verify`: checks stored photos for damage, and repairs them with `--repair`.
struct Verify: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.verify.abstract", "help.verify.discussion",
    examples: """
      petspot verify
      petspot verify --json
      petspot verify --dry-run
      petspot verify --repair --from ~/Photos
      petspot verify --attached
      petspot verify --repair --shard 2/3
      """)

  @Flag(help: .words("help.verify.all"))
  var all = false

  @Flag(help: .words("help.verify.attached"))
  var attached = false

  @Flag(help: .words("help.verify.repair"))
  var repair = false

  @Option(
    name: .customLong("from"), parsing: .singleValue, help: .words("help.verify.sources", "dir"),
    completion: .directory, transform: RawArguments.requiredPath)
  var sources: [FilePath] = []

  @Flag(help: .words("help.verify.dryRun"))
  var dryRun = false

  @OptionGroup var work: ShardOption
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    try ValidationError.rejectBoth("--repair", repair, "--dry-run", dryRun)
    try ValidationError.rejectBoth("--all", all, "--attached", attached)
    try ValidationError.require("--repair", repair, for: "--from", !sources.isEmpty)
  }

  func run() async throws {
    for source in sources where access(source.string, F_OK) != 0 {
      throw Failure(.photo(.unreadable(.system(errno: errno))), about: source)
    }
    // Stored photos may come from strangers.
    let decoding = options.startDecoders(trust: .strangers, spares: 1, warm: false)
    guard let cache = try options.openStoresIfThere()?.photos else {
      return try options.print(
        work.marking(VerifyReport.nothing.json), orText: VerifyReport.nothing.lines)
    }
    let verifier = PhotoVerifier(
      cache: cache, pipeline: PhotoPipeline(policy: cache.policy, decoding: decoding),
      options: verifyOptions)
    let options = options
    let report = try await Interruption.withCancellation { () async throws(StoreError) in
      try await verifier.verify { finding in
        let known = try finding.photo.map { photo throws(StoreError) in
          try cache.ownerHints(photo: photo)
        }
        try options.print(
          finding.json(known?.name, known?.original),
          orText: finding.line(known?.name, known?.original))
      }
    }
    try options.print(
      work.marking(report.json.adding(["leftOut": attached ? "library" : String?.none])),
      orText: report.lines)
    if attached, !options.json, !options.quiet { try Output.line(VerifyReport.leftOut) }
    try await options.checkIsWhole(cache)
    if report.isClean, !dryRun { await cache.recordSuccess(of: .verify) }
    guard !report.isClean else { return }
    Output.printNote("petspot: " + report.advice(repairing: repair))
    throw ExitCode(report.isIncomplete ? 74 : 65)
  }

  private var verifyOptions: VerifyOptions {
    var options = VerifyOptions()
    options.all = !attached
    options.dryRun = dryRun
    options.repairs = repair
    options.sources = sources
    options.shard = work.part
    return options
  }
}
