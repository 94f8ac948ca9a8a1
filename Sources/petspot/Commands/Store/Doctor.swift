import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import SystemPackage
import PhotoIngestion
import ReportFlow

/// `petspot doctor`: checks the machine and its stores. Exits with 69 if there is a problem.
struct Doctor: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.doctor.abstract", "help.doctor.discussion",
    examples: """
      petspot doctor
      petspot doctor --json --cache /var/cache/petspot
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let decoders = try await options.startDecoders().pool?.report() ?? .current()
    let version = ProgramVersion(decoders: decoders)
    let facts = options.database.map { address in
      Result { () throws(StoreError) in try Stores.facts(ofDatabase: address) }
    }
    let cache = MachineReport(cacheFolder: FilePath(options.cacheFolder.path))
    let database = facts.map(MachineReport.init(database:))
    let blobs = options.blobs.map(MachineReport.init(blobs:))
    let records = await records(hasTables: facts.map { (try? $0.get().hasTables) ?? false })
    let reports = [cache, database, blobs].compactMap(\.self)
    let release = SystemRelease.problem.map {
      MachineProblem(code: OtherRelease.code, fix: $0.message(in: L10n.words))
    }
    var problems =
      [release].compactMap(\.self) + decoders.problems.map(MachineProblem.init(decoder:))
      + reports.flatMap(\.problems)
    if let problem = records.problem, !problems.map(\.code).contains(problem.code) {
      problems.append(problem)
    }
    try options.print(
      version.json.adding([
        "loaders": decoders.loaders,
        "sandbox": decoders.sandbox.map {
          ["landlock": $0.landlock, "seccomp": $0.seccomp] as JSON
        },
        "lastSuccess": records.successes, "cache": cache.json, "database": database?.json,
        "blobs": blobs?.json,
        "problems": problems.map { ["code": $0.code, "fix": $0.fix] as JSON },
      ]),
      orText: (version.lines.map(Self.aligned) + [
        "loaders   \(decoders.loaders.joined(separator: ", "))",
        "sandbox   \(Self.words(for: decoders.sandbox))",
      ] + reports.flatMap(\.lines) + (problems.isEmpty ? [L10n.words("doctor.noProblems")] : []))
      .joined(separator: "\n"))
    for problem in problems { Output.printNote("petspot: \(problem.code): \(problem.fix)") }
    if !problems.isEmpty { throw ExitCode(69) }
  }

  /// Opens the stores and reads all pages of a catalog, the cache folder's database of records. Creates nothing.
  ///
  /// - Returns: the time at which each regular job last succeeded, and a problem that would stop servers and backups.
  private func records(
    hasTables: Bool?
  ) async -> (successes: JSON, problem: MachineProblem?) {
    do throws(StoreError) {
      let folder = options.cacheFolder
      let isThere =
        hasTables ?? (access(folder.catalog, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno))
      guard isThere else {
        let pictures = try hasTables == nil ? folder.entries(of: "blobs") : []
        let path = ["path": DisplayText.path(FilePath(folder.path))]
        return (
          .null, pictures.isEmpty ? nil : .init("catalog-lost", "doctor.fix.catalogLost", path)
        )
      }
      let photos = try options.openStores(decoding: .inProcess, timeout: 2).photos
      let known = try await photos.catalog.database.reading(.lookUp, StoreFigures.select)
      try await photos.threads.finish { try photos.catalog.checkIntegrity() }
      try await options.checkIsWhole(photos)
      return (
        .object(RegularJob.allCases.map { .init($0.rawValue, known.successes[$0]) }), nil
      )
    } catch {
      // A busy catalog is in use by another process and therefore sound.
      if case .busy = error { return (.null, nil) }
      return (.null, MachineProblem(error))
    }
  }

  /// Pads the first word of the line to the width of a column.
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
