package import Foundation
package import PhotoAttachments
import PhotoIngestion
import Synchronization
import Testing

/// An empty place where a storage under test keeps uploads.
package final class UploadPlace: Sendable {
  /// Opens the place. Each opening is a new one, like that of another process.
  private let opening: Opening
  private let moment: Mutex<Date>

  package typealias Opening =
    @Sendable (_ limits: UploadLimits, _ now: @escaping @Sendable () -> Date) throws
    -> UploadRules

  /// - Parameter moment: the start of the place's clock, which only `wait` advances.
  package init(at moment: Date = Date(), opening: @escaping Opening) {
    self.opening = opening
    // Only whole seconds survive being written.
    self.moment = Mutex(
      Date(timeIntervalSince1970: moment.timeIntervalSince1970.rounded(.down)))
  }

  var now: Date { moment.withLock { $0 } }
  func wait(_ seconds: TimeInterval) { moment.withLock { $0 += seconds } }

  func open(_ limits: UploadLimits = UploadLimits()) throws -> UploadRules {
    try opening(limits) { self.now }
  }
}

/// One rule of `UploadRules` that holds for every storage. A test takes each rule of `all` as its argument, and expects
/// no findings in a new place.
package struct UploadRule: Sendable, CustomTestStringConvertible {
  /// The rule in one sentence.
  package let testDescription: String
  private let check: @Sendable (UploadPlace, Findings) async throws -> Void

  init(
    _ sentence: String, check: @escaping @Sendable (UploadPlace, Findings) async throws -> Void
  ) {
    (testDescription, self.check) = (sentence, check)
  }

  /// Returns how the storage of a new place breaks the rule; empty if it keeps it.
  package func findings(in place: UploadPlace) async -> [String] {
    let found = Findings()
    do { try await check(place, found) } catch { found.add("\(error)") }
    return found.all
  }

  package static let all = living + turns + limits

  /// Returns bytes that differ from offset to offset.
  static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
  }
}

extension UploadRules {
  func make(_ length: Int, owner: String = "draft:1", client: String = "::1") throws -> Upload {
    try create(owner: owner, client: client, length: length, fileName: "cat.jpg")
  }

  func fetchUpload(_ token: String) throws -> Upload { try fetchUpload(token, owner: "draft:1") }

  func writer(
    _ token: String, at offset: Int, adding count: Int? = nil
  ) throws -> UploadWriter {
    let appending = try append(token, owner: "draft:1", at: offset, adding: count)
    guard case .writer(let writer) = appending else { throw UploadError.notFound }
    return writer
  }
}

extension UploadWriter {
  /// Returns the bytes from which the photo would be made.
  package func bytes() throws -> [UInt8] {
    guard case .open(let file, _) = try source() else { return [] }
    return [UInt8](try Data(contentsOf: URL(filePath: "/proc/self/fd/\(file.descriptor)")))
  }

  package func write(_ bytes: some Sequence<UInt8>) throws {
    try Array(bytes).withUnsafeBytes { try write($0) }
  }
}

extension Findings {
  /// Expects an upload operation to be refused for this reason.
  func refuses<Value>(
    _ expected: UploadError, line: Int = #line, file: String = #fileID, _ work: () throws -> Value
  ) {
    do {
      _ = try work()
      add("not refused with \(expected)", line: line, file: file)
    } catch {
      if error as? UploadError != expected {
        add("refused with \(error) instead of \(expected)", line: line, file: file)
      }
    }
  }
}
