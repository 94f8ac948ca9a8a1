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
    let version = ProgramVersion(decoders: decoders)
    let cache = CacheFolderReport(FilePath(options.cacheFolder.path))
    let database = options.database.map(DatabaseReport.init)
    let blobs = options.blobs.map(BlobsReport.init)
    let problems =
      decoders.problems.map(MachineProblem.init(decoder:)) + cache.problems
      + (database?.problems ?? []) + (blobs?.problems ?? [])
    try options.print(
      version.json.adding([
        "loaders": .strings(decoders.loaders),
        "sandbox": decoders.sandbox.map {
          [
            "landlock": .int($0.landlock), "seccomp": .bool($0.seccomp),
          ]
        } ?? .null,
        "cache": cache.json, "database": database?.json ?? .null, "blobs": blobs?.json ?? .null,
        "problems": .array(
          problems.map { ["code": .string($0.code), "fix": .string($0.fix)] }),
      ]),
      orText: (version.lines.map(Self.aligned) + [
        "loaders   \(decoders.loaders.joined(separator: ", "))",
        "sandbox   \(Self.words(for: decoders.sandbox))",
      ] + cache.lines + (database?.lines ?? []) + (blobs?.lines ?? [])
        + (problems.isEmpty ? [Self.allIsWell] : []))
        .joined(separator: "\n"))
    for problem in problems { Output.note("petspot: \(problem.code): \(problem.fix)") }
    if !problems.isEmpty { throw ExitCode(69) }
  }

  /// The first word in a column of its own.
  private static func aligned(_ line: String) -> String {
    let name = line.prefix { $0 != " " }
    return name + String(repeating: " ", count: max(0, 9 - name.count)) + line.dropFirst(name.count)
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
