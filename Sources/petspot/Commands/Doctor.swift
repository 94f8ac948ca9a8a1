import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import SystemPackage
import PhotoIngestion
import ReportFlow

struct Doctor: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.doctor.abstract", "help.doctor.discussion",
    examples: """
      petspot doctor
      petspot doctor --json --cache /var/cache/petspot
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let decoders = try await options.startDecoders()?.report() ?? .current()
    let version = ProgramVersion(decoders: decoders)
    let cache = CacheFolderReport(FilePath(options.cacheFolder.path))
    let database = options.database.map(DatabaseReport.init)
    let blobs = options.blobs.map(BlobsReport.init)
    let successes = try await jobSuccesses(hasTables: database?.hasTables)
    let problems =
      (SystemRelease.problem.map {
        [MachineProblem(code: OtherRelease.code, fix: $0.message(in: L10n.words))]
      } ?? [])
      + decoders.problems.map(MachineProblem.init(decoder:)) + cache.problems
      + (database?.problems ?? []) + (blobs?.problems ?? [])
    try options.print(
      version.json.adding([
        "loaders": .strings(decoders.loaders),
        "sandbox": decoders.sandbox.map {
          [
            "landlock": .int($0.landlock), "seccomp": .bool($0.seccomp),
          ]
        } ?? .null,
        "lastSuccess": successes, "cache": cache.json, "database": database?.json ?? .null,
        "blobs": blobs?.json ?? .null,
        "problems": .array(
          problems.map { ["code": .string($0.code), "fix": .string($0.fix)] }),
      ]),
      orText: (version.lines.map(Self.aligned) + [
        "loaders   \(decoders.loaders.joined(separator: ", "))",
        "sandbox   \(Self.words(for: decoders.sandbox))",
      ] + cache.lines + (database?.lines ?? []) + (blobs?.lines ?? [])
        + (problems.isEmpty ? [L10n.words("doctor.noProblems")] : []))
        .joined(separator: "\n"))
    for problem in problems { Output.note("petspot: \(problem.code): \(problem.fix)") }
    if !problems.isEmpty { throw ExitCode(69) }
  }

  /// When each regular job last succeeded, where there are records; nothing is made for it.
  private func jobSuccesses(hasTables: Bool?) async throws -> JSON {
    guard hasTables ?? FileManager.default.fileExists(atPath: options.cacheFolder.catalog),
      let stores = try? options.openStores(decoders: nil, timeout: 2),
      let known = try? await stores.photos.catalog.database.reading(.lookUp, StoreFigures.read)
    else { return .null }
    return .object(
      RegularJob.allCases.map {
        JSON.Member(key: $0.rawValue, value: known.successes[$0].map(JSON.date) ?? .null)
      })
  }

  /// The first word in a column of its own.
  private static func aligned(_ line: String) -> String {
    let name = line.prefix { $0 != " " }
    return name + String(repeating: " ", count: max(0, 9 - name.count)) + line.dropFirst(name.count)
  }

  private static func words(for sandbox: SandboxPosture?) -> String {
    guard let sandbox else { return L10n.words("doctor.noLoaders") }
    return
      (sandbox.landlock > 0 ? "Landlock \(sandbox.landlock)" : L10n.words("doctor.noLandlock"))
      + (sandbox.seccomp ? ", seccomp" : L10n.words("doctor.noSeccomp"))
  }
}
