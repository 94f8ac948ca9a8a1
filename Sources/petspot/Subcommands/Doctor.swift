import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

struct Doctor: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check that this machine has what PetSpot needs.",
    discussion: """
      Exits 70 when something is missing, and says how to install it.

      EXAMPLES:
        petspot doctor
        petspot doctor --json --cache /var/cache/petspot
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let decoders = try options.startDecoders()?.report() ?? .current()
    let cache = CacheFolderReport(FilePath(options.cacheFolder.path))
    let problems = decoders.problems.map(MachineProblem.init(decoder:)) + cache.problems
    try options.print(
      [
        "version": .string(ProgramVersion.current),
        "libvips": .string(decoders.vipsVersion), "libmagic": .string(decoders.magicVersion),
        "libheif": .optional(decoders.heifVersion),
        "libavcodec": .optional(decoders.avcodecVersion), "loaders": .strings(decoders.loaders),
        "sandbox": decoders.sandbox.map {
          [
            "landlock": .int($0.landlock), "seccomp": .bool($0.seccomp),
          ]
        } ?? .null,
        "cache": cache.json,
        "problems": .array(
          problems.map { ["code": .string($0.code), "fix": .string($0.fix)] }),
      ],
      orText: ([
        "petspot   \(ProgramVersion.current)", "libvips   \(decoders.vipsVersion)",
        "libmagic  \(decoders.magicVersion)", "libheif   \(decoders.heifVersion ?? "not found")",
        "libavcodec \(decoders.avcodecVersion ?? "not found: HEIC will be slow")",
        "loaders   \(decoders.loaders.joined(separator: ", "))",
        "sandbox   \(Self.words(for: decoders.sandbox))",
      ] + cache.lines + (problems.isEmpty ? ["All is well."] : [])).joined(separator: "\n"))
    for problem in problems { Output.note("petspot: \(problem.code): \(problem.fix)") }
    if !problems.isEmpty { throw ExitCode(70) }
  }

  private static func words(for sandbox: SandboxPosture?) -> String {
    guard let sandbox else { return "none" }
    let landlock = sandbox.landlock > 0 ? "Landlock \(sandbox.landlock)" : "no Landlock"
    return landlock + (sandbox.seccomp ? ", seccomp" : ", no seccomp")
  }
}
