package import Foundation
import PhotoIngestion
import Synchronization

/// The record of an import, so that all photos that it added can be forgotten together. An import on one machine gets
/// it with its first photo, and a shared run when it starts.
package final class LibraryRun: Sendable {
  private let names: [String]
  private let begun: Date
  private let known = Mutex<Int64?>(nil)

  init(names: [String], begun: Date) {
    self.names = names
    self.begun = begun
  }

  /// The run's number. `nil` until it has imported a photo.
  package var number: Int64? { known.withLock { $0 } }

  /// Returns the run's number, recording the run if necessary. Call `setNumber` after the commit to keep the number.
  func number(_ t: Transaction) throws -> Int64 {
    try number ?? Self.insert(names: names, begun: begun, t)
  }

  func setNumber(_ number: Int64?) {
    if let number { known.withLock { $0 = number } }
  }

  /// Records a run.
  ///
  /// - Returns: the number of the run.
  static func insert(names: [String], begun: Date = Date(), _ t: Transaction) throws -> Int64 {
    let row = try t.rows(
      "INSERT INTO library_run (names, begun_at) VALUES ($1, $2) RETURNING id",
      [
        .text(names.joined(separator: "\n")), .int(Int64(begun.timeIntervalSince1970 * 1000)),
      ]
    ).first
    guard let number = row?.number(0) else { throw StoreError.fault(.importRun) }
    return number
  }

  /// A recorded import and the number of its photos, for lists.
  package struct Facts: Sendable {
    package let id: Int64
    /// The inputs that the person named, in display form.
    package let names: [String]
    package let begun: Date
    /// The number of photos that it added and that are still in the library.
    package let photos: Int
  }
}
