import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage

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
    let problems = decoders.problems.map(Problem.init(decoder:)) + cache.problems
    try options.print(
      [
        "version": .string(Petspot.configuration.version),
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
        "petspot   \(Petspot.configuration.version)", "libvips   \(decoders.vipsVersion)",
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

  /// Something missing and how to get it.
  struct Problem: Equatable {
    var code: String
    var fix: String

    init(code: String, fix: String) { (self.code, self.fix) = (code, fix) }

    /// What helps against a problem of the decoders.
    init(decoder code: String) {
      self.code = code
      fix =
        switch code {
        case "libvips-start": "Install libvips: sudo apt-get install libvips42"
        case "libmagic-database": "Install libmagic's database: sudo apt-get install libmagic-mgc"
        case "heif-loader":
          "Install libvips with HEIC: sudo apt-get install libvips42 libheif1"
        case "sandbox-landlock":
          "Use Linux 5.13 or newer with Landlock, or accept less with --allow-weak-sandbox"
        case "sandbox-seccomp":
          "Use a kernel or container that allows seccomp, or accept less with --allow-weak-sandbox"
        default: "Run Scripts/bootstrap, which installs what is missing."
        }
    }
  }
}
