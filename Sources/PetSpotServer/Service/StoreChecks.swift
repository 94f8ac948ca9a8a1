import Announcements
import Glibc
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import Synchronization

/// Checks whether the stores respond. Each store has at most one check at a time, which all callers share.
final class StoreChecks: Sendable {
  /// A problem of a store.
  struct Problem: Sendable, Equatable {
    /// A stable code for programs.
    var code: String
    /// The error, with the store's address but without secrets.
    var detail = ""

    static let noAnswer = Self(code: "no answer")
    /// The database's file is no longer at its path.
    static let replaced = "replaced"
  }

  private let check: @Sendable (ServerStore) async throws -> Void
  private let underWay = Mutex<[ServerStore: Task<Problem?, Never>]>([:])

  /// - Parameter check: throws the error of a store.
  init(_ check: @escaping @Sendable (ServerStore) async throws -> Void) { self.check = check }

  /// Checks the stores of a server.
  convenience init(_ stores: Stores) { self.init { try await stores.check($0) } }

  /// Returns the problem of a store, or `nil` if it works.
  ///
  /// - Parameter limit: the maximum time to wait for a result.
  func problem(of subject: ServerStore, within limit: Duration) async -> Problem? {
    let task = underWay.withLock { underWay in
      if let task = underWay[subject] { return task }
      // Detached, because all callers share the check, so it must not end with the first of them.
      let task = Task.detached { [self] () -> Problem? in
        defer { self.underWay.withLock { $0[subject] = nil } }
        return await self.outcome(of: subject)
      }
      underWay[subject] = task
      return task
    }
    if let outcome = await task.result(within: limit) { return outcome.get() }
    // A canceled caller must not report a problem.
    return Task.isCancelled ? nil : .noAnswer
  }

  /// Runs the check of a store and describes its error.
  private func outcome(of subject: ServerStore) async -> Problem? {
    do {
      try await check(subject)
      return nil
    } catch StoreError.unreachable(let service, let detail) {
      return Problem(code: "unreachable", detail: "\(service): \(detail)")
    } catch StoreError.serviceFailed(let service, let detail, _) {
      return Problem(code: "refused", detail: "\(service): \(detail)")
    } catch StoreError.database(.replaced, let path) {
      return Problem(code: Problem.replaced, detail: path)
    } catch StoreError.busy {
      return Problem(code: "busy")
    } catch {
      return Problem(code: "failed", detail: "\(error)")
    }
  }
}

extension Stores {
  /// Throws an error if a store can't be used.
  fileprivate func check(_ subject: ServerStore) async throws {
    switch subject {
    case .database:
      _ = try await photos.catalog.database.reading(.health) {
        try $0.rows("SELECT found_pictures FROM store")
      }
    case .pictures:
      let isHere = !(photos.blobs is any ObjectBlobStorage)
      for name in isHere ? ["", "/incoming", "/blobs", "/previews"] : [""] {
        let path = photos.folder.path + name
        let code = try await files.run { access(path, R_OK | W_OK) == 0 ? 0 : errno }
        if code != 0 { throw StoreError(operation: "access", path: path, errno: code) }
      }
      if let objects = photos.blobs as? any ObjectBlobStorage {
        try await files.run { try objects.check() }
      }
    }
  }
}
