import ArgumentParser
import Foundation
import PhotoAttachments

struct Verify: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prove stored photos again.",
    discussion: """
      Reads every blob and preview, compares its digest with the record and walks it. Changes \
      nothing; exits 65 when one fails.

      EXAMPLES:
        petspot verify
        petspot verify --all --json
      """)

  @Flag(help: "Prove the whole library and the catalog, not only what reports show.")
  var all = false

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let report = try await options.openCache().verify(all: all)
    for finding in report.findings {
      try options.print(
        [
          "event": "photo", "id": .string(finding.photo.uuidString),
          "path": .string(finding.path), "problem": .string(finding.problem.rawValue),
        ],
        orText: "\(finding.photo.uuidString)  \(finding.path): \(finding.problem.words)")
    }
    try options.print(
      [
        "event": "summary", "checked": .int(report.checked), "damaged": .int(report.damaged),
        "missing": .int(report.missing),
      ],
      orText: "\(Words.number(report.checked)) checked, \(Words.number(report.damaged)) damaged, "
        + "\(Words.number(report.missing)) missing")
    guard report.damaged + report.missing > 0 else { return }
    Output.note("petspot: Attach or import the photos named above again from their originals.")
    throw ExitCode(65)
  }
}

extension VerifyReport.Problem {
  /// What is wrong, for people.
  fileprivate var words: String {
    switch self {
    case .missing: "the file is gone"
    case .size: "the file has another size than recorded"
    case .digest: "the bytes are not those recorded"
    case .unreadable: "the file cannot be read"
    case .structure: "the picture's structure is damaged"
    case .dimensions: "the picture has other dimensions than recorded"
    case .metadata: "the file holds more than the picture"
    }
  }
}
