public import Foundation
import GRDB
import Logging
public import PhotoIngestion

extension PhotoAttachmentCache {
  /// Where a draft's attachment stands: `look(draft:)` without its reasons. A photo whose blob is
  /// gone or damaged is `empty` for as long as it is (decision 7).
  ///
  /// - Throws: catalog errors.
  public func status(draft: String) throws(PhotoError) -> PhotoAttachmentStatus {
    try look(draft: draft).status
  }

  /// Why the last attempt ended without a photo (`PhotoError.code`), nil after a success or when
  /// there was none (decision 4).
  public func failure(draft: String) throws(PhotoError) -> String? {
    try catalog.read { try AttachmentRow.fetch($0, draft: draft)?.failure }
  }

  /// The confirmed photo of a draft, nil while it is empty or loading.
  public func load(draft: String) throws(PhotoError) -> PhotoAttachmentMetadata? {
    if case .confirmed(let photo) = try status(draft: draft) { photo } else { nil }
  }

  /// Whether the photo step may be left: a photo is confirmed, and its blob holds the very bytes that
  /// were recorded (decisions 7 and 8).
  public func canContinue(draft: String) throws(PhotoError) -> Bool {
    try load(draft: draft) != nil
  }

  /// Takes the photo away from a draft, and with it any attempt under way; nothing there is success.
  public func clear(draft: String) throws(PhotoError) {
    releaseNow(try catalog.write { try apply(.remove, to: draft, $0).gone })
  }

  /// Removes one photo wherever it is attached. A newer photo, or an attempt under way, stays.
  public func clear(id: UUID) throws(PhotoError) {
    let gone = try catalog.write { db in
      var gone: [BlobPath] = []
      for draft in try AttachmentRow.drafts(db, with: id) {
        gone += try apply(.forget(id), to: draft, db).gone
      }
      return gone + (try PhotoRow.deleteUnreferenced(db, id: id))
    }
    releaseNow(gone)
  }

  /// Notes that somebody works on a draft, which puts off its expiry (decision 12).
  public func touch(draft: String) throws(PhotoError) {
    let milliseconds = now().milliseconds
    try catalog.write { db in
      try db.execute(
        sql: "UPDATE attachment SET updatedAtMilliseconds = ? WHERE draft = ?",
        arguments: [milliseconds, draft])
    }
  }

  /// The status of a draft now and after each change that this process makes, in the order of the
  /// commits. A slow reader misses statuses in between, never the newest.
  public func statuses(draft: String) -> AsyncStream<PhotoAttachmentStatus> {
    AsyncStream(bufferingPolicy: .bufferingNewest(8)) { continuation in
      catalog.queue.asyncWriteWithoutTransaction { [self] db in
        var current = PhotoAttachmentStatus.empty
        do {
          if let row = try AttachmentRow.fetch(db, draft: draft) {
            var machine = try row.machine
            _ = machine.handle(try restoring(row, db))
            current = try shownStatus(of: machine, db)
          }
        } catch {
          logger.error("status not read", metadata: ["draft": "\(draft)", "error": "\(error)"])
        }
        watchers.add(continuation, draft: draft, current: current)
      }
    }
  }

  /// What became of an event: the machine after it, and pictures to give up after the commit.
  struct Applied: Sendable {
    var machine: AttachmentRow.Machine
    var gone: [BlobPath] = []
  }

  /// Lets an event happen to a draft, in the transaction of `db`; watchers hear of it after the
  /// commit.
  func apply(
    _ event: AttachmentRow.Machine.Event, to draft: String, _ db: Database
  ) throws -> Applied {
    let row = try AttachmentRow.fetch(db, draft: draft)
    let before = try row?.machine ?? .init()
    var applied = Applied(machine: before)
    let action = applied.machine.handle(event)
    if applied.machine != before {
      // Who picks owns the attempt; any other event leaves it with whom it belongs to.
      var owner = row?.owner
      if case .pick = event { owner = try blobs.owner() }
      try AttachmentRow(draft: draft, machine: applied.machine, owner: owner, now: now())
        .upsert(db)
    }
    if case .giveUp(let photo) = action {
      applied.gone = try PhotoRow.deleteUnreferenced(db, id: photo)
    }
    if applied.machine.state != before.state {
      let status = try shownStatus(of: applied.machine, db)
      catalog.whenCommitted { [watchers] in watchers.publish(status, draft: draft) }
    }
    return applied
  }

  /// Deletes pictures that no record refers to. A failure is only logged: what stays is rubbish for
  /// `sweep`, and what was asked for has been committed.
  func release(_ places: [BlobPath]) async {
    if places.isEmpty { return }
    do throws(PhotoError) {
      _ = try await catalog.writeAsync { [self] in try removeUnreferenced(places, $0) }
    } catch {
      logger.warning("pictures not deleted", metadata: ["error": "\(error)"])
    }
  }

  /// The same, blocking the calling thread.
  func releaseNow(_ places: [BlobPath]) {
    if places.isEmpty { return }
    do throws(PhotoError) {
      _ = try catalog.write { try removeUnreferenced(places, $0) }
    } catch {
      logger.warning("pictures not deleted", metadata: ["error": "\(error)"])
    }
  }

  /// Deletes those of the pictures that no record refers to. The write transaction keeps every other
  /// process from recording one of them meanwhile.
  func removeUnreferenced(
    _ places: [BlobPath], _ db: Database
  ) throws -> (files: Int, bytes: Int) {
    var removed = (files: 0, bytes: 0)
    for place in places where try !PhotoRow.isReferenced(db, place) {
      guard let bytes = try blobs.remove(place) else { continue }
      removed.files += 1
      removed.bytes += bytes
    }
    return removed
  }
}

extension PhotoAttachmentCache {
  /// Drafts whose attempt is under way by the record, although its process is gone.
  func abandonedDrafts(_ db: Database) throws -> [String] {
    try AttachmentRow.fetchAll(db, sql: "SELECT * FROM attachment WHERE state = 'loading'")
      .filter { !LiveAttempts.isAlive($0, in: folder) }.map(\.draft)
  }
}
