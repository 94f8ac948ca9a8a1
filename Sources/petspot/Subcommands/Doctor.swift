import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import SystemPackage
import PhotoIngestion

struct Doctor: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Check that this machine has what PetSpot needs.",
      pl: "Sprawdź, czy ten komputer ma to, czego potrzebuje PetSpot."),
    discussion: HelpText.text(
      en: """
        Exits 69 when something is missing, and says how to install it; with --database and --blobs also
        when the database or the store cannot be used. The store is tried out with a small object, which
        is deleted again.
        """,
      pl: """
        Kończy się kodem 69, gdy czegoś brakuje, i mówi, jak to zainstalować; z --database i --blobs także \
        wtedy, gdy nie można użyć bazy lub magazynu. Magazyn jest wypróbowywany małym obiektem, który potem \
        jest usuwany.
        """,
      examples: """
        petspot doctor
        petspot doctor --json --cache /var/cache/petspot
        """))

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let decoders = try options.startDecoders()?.report() ?? .current()
    let cache = CacheFolderReport(FilePath(options.cacheFolder.path))
    let database = options.database.map(DatabaseReport.init)
    let blobs = options.blobs.map(BlobsReport.init)
    let problems =
      decoders.problems.map(MachineProblem.init(decoder:)) + cache.problems
      + (database?.problems ?? []) + (blobs?.problems ?? [])
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
        "cache": cache.json, "database": database?.json ?? .null, "blobs": blobs?.json ?? .null,
        "problems": .array(
          problems.map { ["code": .string($0.code), "fix": .string($0.fix)] }),
      ],
      orText: ([
        "petspot   \(ProgramVersion.current)", "libvips   \(decoders.vipsVersion)",
        "libmagic  \(decoders.magicVersion)", "libheif   \(decoders.heifVersion ?? Self.notFound)",
        "libavcodec \(decoders.avcodecVersion ?? Self.slowHEIC)",
        "loaders   \(decoders.loaders.joined(separator: ", "))",
        "sandbox   \(Self.words(for: decoders.sandbox))",
      ] + cache.lines + (database?.lines ?? []) + (blobs?.lines ?? [])
        + (problems.isEmpty ? [Self.allIsWell] : []))
        .joined(separator: "\n"))
    for problem in problems { Output.note("petspot: \(problem.code): \(problem.fix)") }
    if !problems.isEmpty { throw ExitCode(69) }
  }

  private static var notFound: String { Speech.pick(en: "not found", pl: "nie znaleziono") }
  private static var slowHEIC: String {
    Speech.pick(en: "not found: HEIC will be slow", pl: "nie znaleziono: HEIC będzie wolne")
  }
  private static var allIsWell: String {
    Speech.pick(en: "All is well.", pl: "Wszystko w porządku.")
  }

  private static func words(for sandbox: SandboxPosture?) -> String {
    guard let sandbox else { return Speech.pick(en: "none", pl: "brak") }
    let landlock =
      sandbox.landlock > 0
      ? "Landlock \(sandbox.landlock)" : Speech.pick(en: "no Landlock", pl: "bez Landlock")
    return landlock
      + (sandbox.seccomp
        ? ", seccomp" : Speech.pick(en: ", no seccomp", pl: ", bez seccomp"))
  }
}
