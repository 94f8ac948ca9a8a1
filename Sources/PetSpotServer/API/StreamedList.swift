import Announcements
import Foundation
import HummingbirdCore
import NIOCore
import PhotoUploads
import ReportFlow

/// A list of announcements that is sent as JSON in parts. The next part is read when the client has received the one
/// before. A search finds the ids for all parts at once, in one turn of the queue of searches (`FairQueue`), but only
/// the announcements of the next part are in memory.
struct StreamedList: Sendable {
  private static let partCount = 20

  let query: AnnouncementListQuery
  let stores: Stores
  let gates: Gates
  let context: RequestContext
  private var shown = 0
  private var after: AnnouncementCursor?
  private var isIncomplete = false
  /// The number of announcements that queries for later parts may still examine.
  private var budget = AnnouncementStore.maxLookedAt
  /// The ids that a search has found for later parts.
  private var found: ArraySlice<Int64> = []

  init(
    query: AnnouncementListQuery, stores: Stores, gates: Gates, context: RequestContext
  ) {
    self.query = query
    self.stores = stores
    self.gates = gates
    self.context = context
    after = query.after
  }

  /// Returns the next part, and `true` if it is the last. The first part is made during the turn of its request. Each
  /// later one waits for a separate turn.
  mutating func part() async throws -> (bytes: ByteBuffer, isLast: Bool) {
    if shown == 0 { return try await encoded() }
    return try await gates.pages.pass(context.client, isRefusable: false) { try await encoded() }
  }

  private mutating func encoded() async throws -> (bytes: ByteBuffer, isLast: Bool) {
    let isFirst = shown == 0
    let announcements = try await next()
    let isLast = found.isEmpty && (after == nil || isIncomplete || shown == query.limit)
    let end =
      (isIncomplete ? ",\"incomplete\":true" : "") + (after.map { ",\"next\":\"\($0)\"" } ?? "")
    var bytes = ByteBuffer(string: isFirst ? "{\"announcements\":[" : "")
    for (index, announcement) in announcements.enumerated() {
      if !isFirst || index > 0 { bytes.writeString(",") }
      let item = AnnouncementResponse(announcement, base: context.base, reader: query.location)
      bytes.writeBytes(Response.encoded(item))
    }
    if isLast { bytes.writeString("]\(end)}") }
    return (bytes, isLast)
  }

  private mutating func next() async throws -> [Announcement] {
    if !found.isEmpty {
      let part = Array(found.prefix(Self.partCount))
      found = found.dropFirst(Self.partCount)
      shown += part.count
      return try await stores.announcements.selectListed(part)
    }
    let missing = (query.limit ?? .max) - shown
    let list = try await stores.list(
      query.part(
        limit: query.isLookUp ? min(missing, Self.partCount) : query.limit ?? Self.partCount,
        after: after),
      budget: budget, in: gates, for: context)
    after = list.next
    isIncomplete = list.isIncomplete
    budget -= list.lookedAt
    let part = list.announcements.prefix(Self.partCount)
    shown += part.count
    found = list.numbers.dropFirst(Self.partCount)
    return Array(part)
  }
}
