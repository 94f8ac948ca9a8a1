import PhotoAttachments
import Synchronization

/// The error of a rule whose precondition is missing.
struct Missing: Error {
  var what = ""
}

/// A collection of rule violations by a store. Thread-safe.
package final class Findings: Sendable {
  private let list = Mutex<[String]>([])

  package init() {}

  /// All findings so far, each with the line of the check.
  package var all: [String] { list.withLock { $0 } }

  func add(_ text: String, line: Int = #line, file: String = #fileID) {
    list.withLock { $0.append("\(text) (\(file):\(line))") }
  }

  func expect(
    _ holds: Bool, _ text: @autoclosure () -> String = "does not hold", line: Int = #line,
    file: String = #fileID
  ) {
    if !holds { add(text(), line: line, file: file) }
  }

  func equal<Value: Equatable>(
    _ value: Value, _ expected: Value, _ what: @autoclosure () -> String = "it is",
    line: Int = #line, file: String = #fileID
  ) {
    if value != expected {
      add("\(what()): \(value) instead of \(expected)", line: line, file: file)
    }
  }

  /// Returns a value without which the rule can't continue.
  func require<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
  }

  /// Expects `work` to fail, with this error if it is given.
  func fails<Value>(
    _ what: @autoclosure () -> String, with expected: StoreError? = nil, line: Int = #line,
    file: String = #fileID, _ work: () throws -> Value
  ) {
    do {
      _ = try work()
      add("\(what()) does not fail", line: line, file: file)
    } catch {
      guard let expected, error as? StoreError != expected else { return }
      add("\(what()) fails with \(error) instead of \(expected)", line: line, file: file)
    }
  }
}
