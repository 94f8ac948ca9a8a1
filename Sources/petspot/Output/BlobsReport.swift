import PetSpotStores
import PhotoAttachments
import ReportFlow

/// What `doctor` reports about a store of objects.
struct BlobsReport {
  private let facts: Result<BlobsFacts, StoreError>

  init(_ address: String) {
    facts = Result { () throws(StoreError) in try BlobsFacts(of: address) }
  }

  /// Milliseconds by which clocks may differ; stores refuse requests that are a quarter of an hour off.
  private static let enough = 60_000

  var json: JSON {
    switch facts {
    case .failure(let error): error.json(path: nil)
    case .success(let facts):
      [
        "address": .string(facts.address), "library": .string(facts.library),
        "promises": .object(
          facts.promises.map { JSON.Member(key: $0.name, value: .bool($0.isKept)) }),
        "clockDifferenceMilliseconds": facts.clockDifference.map { .int($0) } ?? .null,
      ]
    }
  }

  var lines: [String] {
    guard case .success(let facts) = facts else { return [L10n.words("doctor.blobsFailed")] }
    return [L10n.words("doctor.blobs", ["address": facts.address, "library": facts.library])]
      + facts.promises.enumerated().map { index, promise in
        // What is put has to be there; nothing else is built on.
        let lack: TextKey = index == 0 ? "doctor.noPromise" : "doctor.noPromiseNeeded"
        return L10n.words(promise.isKept ? "doctor.promise" : lack, ["name": promise.name])
      }
  }

  var problems: [MachineProblem] {
    let facts: BlobsFacts
    switch self.facts {
    case .failure(let error): return [.init(code: error.code, fix: error.sentence(about: nil))]
    case .success(let found): facts = found
    }
    var problems: [MachineProblem] = []
    let address = ["address": facts.address]
    // What is put has to be there; nothing else is built on.
    if facts.promises.first?.isKept != true {
      problems.append(.init("blobs-not-read-after-write", "doctor.fix.blobs", address))
    }
    if let difference = facts.clockDifference, abs(difference) > Self.enough {
      problems.append(.init("clock-difference", "doctor.fix.blobsClock", address))
    }
    return problems
  }
}
