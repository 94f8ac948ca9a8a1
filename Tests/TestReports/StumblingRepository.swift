package import Announcements
package import Foundation
import Synchronization

/// The real repository behind a connection that fails on demand, before or after the work.
package final class StumblingRepository: AnnouncementRepositoryProtocol {
  private struct State {
    var calls: [String] = []
    var failures: [String: any Error] = [:]
    var lostAnswers: Set<String> = []
    var onAnswer: (@MainActor @Sendable (String) async throws -> Void)?
  }
  private let inner: any AnnouncementRepositoryProtocol
  private let state = Mutex(State())

  package init(_ inner: any AnnouncementRepositoryProtocol) { self.inner = inner }

  package var calls: [String] { state.withLock { $0.calls } }
  /// The errors of calls that fail before anything is done, by the name of the call.
  package var failures: [String: any Error] {
    get { state.withLock { $0.failures } }
    set { state.withLock { $0.failures = newValue } }
  }
  /// The names of calls that do their work but lose the response, once.
  package var lostAnswers: Set<String> {
    get { state.withLock { $0.lostAnswers } }
    set { state.withLock { $0.lostAnswers = newValue } }
  }

  /// A hook that runs after a call's work and before its response.
  package var onAnswer: (@MainActor @Sendable (String) async throws -> Void)? {
    get { state.withLock { $0.onAnswer } }
    set { state.withLock { $0.onAnswer = newValue } }
  }

  private func passing<Value>(_ name: String, _ work: () async throws -> Value) async throws
    -> Value
  {
    try state.withLock {
      $0.calls.append(name)
      if let failure = $0.failures[name] { throw failure }
    }
    let value = try await work()
    try await onAnswer?(name)
    if state.withLock({ $0.lostAnswers.remove(name) }) != nil {
      throw AnnouncementError.unavailable("answer lost")
    }
    return value
  }

  package func announcements(matching query: AnnouncementListQuery) async throws -> [Announcement] {
    try await passing("announcements") { try await inner.announcements(matching: query) }
  }
  package func announcement(id: String) async throws -> Announcement {
    try await passing("announcement") { try await inner.announcement(id: id) }
  }
  package func shows(photo id: UUID) async throws -> Bool {
    try await passing("shows") { try await inner.shows(photo: id) }
  }
  package func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String,
    client: AnnouncementClient?
  ) async throws -> CreatedAnnouncement {
    try await passing("create") {
      try await inner.create(
        report, idempotencyKey: idempotencyKey, managementPassword: managementPassword,
        client: client)
    }
  }
  package func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    try await passing("attachPhoto") {
      try await inner.attachPhoto(
        photo, to: id, managementPassword: managementPassword, client: client)
    }
  }
  package func close(
    id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    try await passing("close") {
      try await inner.close(id: id, managementPassword: managementPassword, client: client)
    }
  }
  package func erase(id: String, managementPassword: String, client: String?) async throws {
    try await passing("erase") {
      try await inner.erase(id: id, managementPassword: managementPassword, client: client)
    }
  }
  package func withdraw(
    idempotencyKey: UUID, credentials: AnnouncementCredentials?
  ) async throws -> Announcement? {
    try await passing("withdraw") {
      try await inner.withdraw(idempotencyKey: idempotencyKey, credentials: credentials)
    }
  }
}
