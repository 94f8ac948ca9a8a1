import PetSpotStores
import PhotoAttachments

/// What `doctor` reports about a database; it creates nothing there.
struct DatabaseReport {
  private let facts: Result<DatabaseFacts, StoreError>

  init(_ address: String) {
    facts = Result { () throws(StoreError) in try DatabaseFacts(of: address) }
  }

  /// Milliseconds by which clocks may differ before it is reported as a problem. What is recorded would
  /// bear odd times; nothing else depends on it.
  private static let enough = 5000

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
    guard case .success(let facts) = facts else { return ["database  not usable"] }
    return [
      "database  PostgreSQL \(facts.version) at \(facts.address)"
        + (facts.isEncrypted ? ", encrypted" : ", not encrypted")
        + (facts.hasTables ? "" : " (no tables yet)"),
      "clock     \(abs(facts.clockDifference)) ms "
        + (facts.clockDifference < 0 ? "behind" : "ahead of") + " the database's",
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
    if !facts.mayWrite {
      problems.append(
        .init(
          code: "database-rights",
          fix:
            "Let this user write to \(facts.address): make it the owner of the schema petspot, or "
            + "grant it USAGE there and SELECT, INSERT, UPDATE, DELETE on all tables; where there is "
            + "none yet, GRANT CREATE ON DATABASE."))
    }
    if !facts.isDurable {
      problems.append(
        .init(
          code: "database-not-durable",
          fix: "\(facts.address) may lose what it has confirmed: set fsync and synchronous_commit "
            + "to on."))
    }
    if abs(facts.clockDifference) > Self.enough {
      problems.append(
        .init(
          code: "clock-difference",
          fix: "Correct this machine's clock, or the database's (NTP)."))
    }
    return problems
  }
}
