import PetSpotStores
import PhotoAttachments
import ReportFlow

/// What `doctor` reports about a database; it creates nothing there.
struct DatabaseReport {
  private let facts: Result<DatabaseFacts, StoreError>

  init(_ address: String) {
    facts = Result { () throws(StoreError) in try Stores.facts(ofDatabase: address) }
  }

  /// Milliseconds by which clocks may differ before it is reported as a problem. What is recorded would
  /// bear odd times; nothing else depends on it.
  private static let enough = 5000

  /// Whether our tables are there.
  var hasTables: Bool { (try? facts.get())?.hasTables ?? false }

  var json: JSON {
    switch facts {
    case .failure(let error): error.json(path: nil)
    case .success(let facts):
      [
        "address": .string(facts.address), "version": .string(facts.version),
        "clockDifferenceMilliseconds": .int(facts.clockDifference),
        "encrypted": .bool(facts.isEncrypted), "durable": .bool(facts.isDurable),
        "tables": .bool(facts.hasTables), "mayWrite": .bool(facts.mayWrite),
      ]
    }
  }

  var lines: [String] {
    guard case .success(let facts) = facts else { return [L10n.words("doctor.databaseFailed")] }
    let difference = abs(facts.clockDifference)
    return [
      L10n.words("doctor.database", ["version": facts.version, "address": facts.address])
        + L10n.words(facts.isEncrypted ? "doctor.encrypted" : "doctor.notEncrypted")
        + (facts.hasTables ? "" : L10n.words("doctor.noTables")),
      L10n.words(
        facts.clockDifference < 0 ? "doctor.clockBehind" : "doctor.clockAhead",
        ["milliseconds": "\(difference)"]),
    ]
  }

  var problems: [MachineProblem] {
    let facts: DatabaseFacts
    switch self.facts {
    case .failure(let error):
      return [.init(code: error.code, fix: error.sentence(about: nil))]
    case .success(let found): facts = found
    }
    var problems: [MachineProblem] = []
    let address = ["address": facts.address]
    if !facts.mayWrite {
      problems.append(.init("database-rights", "doctor.fix.databaseRights", address))
    }
    if !facts.isDurable {
      problems.append(.init("database-not-durable", "doctor.fix.durability", address))
    }
    if abs(facts.clockDifference) > Self.enough {
      problems.append(.init("clock-difference", "doctor.fix.databaseClock"))
    }
    return problems
  }
}
