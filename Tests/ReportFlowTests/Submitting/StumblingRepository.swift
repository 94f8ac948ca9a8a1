import Announcements
import Foundation
import Synchronization

/// The real repository behind a connection that fails when told to, before or after the work.
final class StumblingRepository: AnnouncementRepositoryProtocol {
  private struct State {
    var calls: [String] = []
    var failures: [String: AnnouncementError] = [:]
    var lostAnswers: Set<String> = []
  }
  private let inner: any AnnouncementRepositoryProtocol
  private let state = Mutex(State())

  init(_ inner: any AnnouncementRepositoryProtocol) { self.inner = inner }

  var calls: [String] { state.withLock { $0.calls } }
  /// Calls that fail before anything is done.
  var failures: [String: AnnouncementError] {
    get { state.withLock { $0.failures } }
    set { state.withLock { $0.failures = newValue } }
  }
  /// Calls whose work is done and whose answer is lost, once.
  var lostAnswers: Set<String> {
    get { state.withLock { $0.lostAnswers } }
    set { state.withLock { $0.lostAnswers = newValue } }
  }

  private func passing<Value>(_ name: String, _ work: () async throws -> Value) async throws
    -> Value
  {
    try state.withLock {
      $0.calls.append(name)
      if let failure = $0.failures[name] { throw failure }
    }
    let value = try await work()
    if state.withLock({ $0.lostAnswers.remove(name) }) != nil {
      throw AnnouncementError.unavailable("answer lost")
    }
    return value
  }

  func announcements(matching query: AnnouncementListQuery) async throws -> [Announcement] {
    try await passing("announcements") { try await inner.announcements(matching: query) }
  }
  func announcement(id: String) async throws -> Announcement {
    try await passing("announcement") { try await inner.announcement(id: id) }
  }
  func create(
    _ report: NewAnnouncement, idempotencyKey: UUID
  ) async throws -> CreatedAnnouncement {
    try await passing("create") {
      try await inner.create(report, idempotencyKey: idempotencyKey)
    }
  }
  func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String
  ) async throws -> Announcement {
    try await passing("attachPhoto") {
      try await inner.attachPhoto(photo, to: id, managementPassword: managementPassword)
    }
  }
  func close(id: String, managementPassword: String) async throws -> Announcement {
    try await passing("close") {
      try await inner.close(id: id, managementPassword: managementPassword)
    }
  }
}
