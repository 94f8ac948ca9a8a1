import Foundation
import PhotoAttachments
import ReportFlow

extension DraftStorageRule {
  /// The number of bytes of a draft in these rules, without a photo.
  private static let size = DraftSpace.bytesOfDraft + 2
  /// A time later than the end of any submission, in seconds.
  private static let later = TimeInterval(DraftSpace.submissionSeconds + 60)

  static let space = [
    Self("Over a client's share its own oldest untouched draft gives way, with its photo") {
      place, found in
      let drafts = try place.open()
      try drafts.put(["a": "me", "b": "me", "c": "me", "theirs": "you"])
      try drafts.put(["own": nil])
      try await place.touchPhoto("a", moment(0))
      let share = DraftSpace(bytes: 20 * 3 * size)
      for dryRun in [true, false] {
        found.gaveWay(
          1, try place.open().room(nil, "c", "me", share, at: 50, dryRun: dryRun), "a")
        found.equal(try drafts.ids(untouchedSince: nil).count, dryRun ? 5 : 4)
      }
      found.equal(Set(try drafts.ids(untouchedSince: nil)), ["b", "c", "own", "theirs"])
      found.expect(try await !place.hasPhoto("a"))
      // There is room for a new draft beside two others.
      found.gaveWay(0, try drafts.room(nil, "new", "me", share, at: 51), "new")
      found.gaveWay(0, try drafts.room(2, "new", "me", share, at: 51), "new with a photo")
      found.gaveWay(1, try drafts.room(3, "new", "me", share, at: 51), "a larger one")
      found.equal(Set(try drafts.ids(untouchedSince: nil)), ["c", "own", "theirs"])
    },
    Self("The one touched last stays, whether its text or its photo was touched") { place, found in
      let drafts = try place.open()
      try drafts.put(["a": "me", "b": "me", "c": "me"])
      try await place.touchPhoto("a", moment(30))
      let revision = try drafts.draft("b")?.revision
      _ = try drafts.write("[]", of: "b", over: revision, at: moment(40), client: "other")
      let share = DraftSpace(bytes: 20 * (3 * size + 93_000))
      found.gaveWay(1, try drafts.room(90_000, "d", "me", share, at: 50), "c")
      found.equal(Set(try drafts.ids(untouchedSince: nil)), ["a", "b"])
    },
    Self("What is submitted or loading stays, and when nothing can go nothing goes") {
      place, found in
      let drafts = try place.open()
      let submission = #"{"submission":{"isComplete":false}}"#
      _ = try drafts.write(submission, of: "submitted", over: nil, at: moment(0), client: "me")
      try drafts.put(["loading": "me", "free": "me"])
      try await place.beginPhoto("loading")
      let share = DraftSpace(bytes: 20 * 2 * size)
      found.equal(try drafts.room(nil, "new", "me", share, at: 50), .shareUsedUp)
      found.equal(try drafts.ids(untouchedSince: nil).count, 3)
      // The submission has been abandoned by then.
      found.gaveWay(2, try drafts.room(nil, "new", "me", share, at: later), "two")
      found.equal(try drafts.ids(untouchedSince: nil), ["loading"])
      found.equal(
        try drafts.room(nil, "new", "me", DraftSpace(bytes: size), at: later), .shareUsedUp)
      let whole = DraftSpace(bytes: size, limitsClients: false)
      found.equal(try drafts.room(nil, "new", "me", whole, at: later), .spaceUsedUp)
      found.equal(try drafts.ids(untouchedSince: nil), ["loading"])
    },
    Self("Over the whole space the oldest web drafts of all give way, never this machine's own") {
      place, found in
      let drafts = try place.open()
      for (number, id) in ["own", "a", "b", "c"].enumerated() {
        _ = try drafts.write(
          "{}", of: id, over: nil, at: moment(TimeInterval(number)),
          client: id == "own" ? nil : "client \(id)")
      }
      let whole = DraftSpace(bytes: 3 * size - 2, limitsClients: false)
      found.gaveWay(1, try drafts.room(nil, "d", "client d", whole, at: 50, dryRun: true), "a")
      found.gaveWay(1, try drafts.room(nil, "d", "client d", whole, at: 50), "a")
      found.equal(Set(try drafts.ids(untouchedSince: nil)), ["own", "b", "c"])
      // A sweep needs no additional room.
      found.gaveWay(1, try drafts.room(nil, nil, nil, DraftSpace(bytes: size), at: 50), "b")
      found.equal(Set(try drafts.ids(untouchedSince: nil)), ["own", "c"])
      found.gaveWay(1, try drafts.room(nil, nil, nil, DraftSpace(bytes: 0), at: 50), "c")
      found.equal(try drafts.ids(untouchedSince: nil), ["own"])
    },
    Self("A client has so many drafts and no more, however small they are") { place, found in
      let drafts = try place.open()
      let most = DraftSpace.draftsOfClient
      for number in 0..<most {
        _ = try drafts.write(
          "{}", of: "\(number)", over: nil, at: moment(TimeInterval(number)), client: "me")
      }
      found.gaveWay(0, try drafts.room(nil, "0", "me", DraftSpace(), at: 1000), "all fit")
      found.gaveWay(1, try drafts.room(nil, "new", "me", DraftSpace(), at: 1000), "the first")
      found.equal(try drafts.draft("0"), nil)
      found.gaveWay(0, try drafts.room(nil, "new", "you", DraftSpace(), at: 1000), "another's")
    },
  ]
}

extension RecordedDrafts {
  /// Writes drafts in the order of their IDs, a second apart.
  fileprivate func put(_ drafts: [String: String?]) throws(StoreError) {
    for (number, id) in drafts.keys.sorted().enumerated() {
      _ = try write(
        "{}", of: id, over: nil, at: moment(TimeInterval(number)), client: drafts[id] ?? nil)
    }
  }

  fileprivate func room(
    _ bytes: Int?, _ draft: String?, _ client: String?, _ space: DraftSpace,
    at seconds: TimeInterval, dryRun: Bool = false
  ) throws(StoreError) -> DraftRoom {
    try makeRoom(
      for: bytes, draft: draft, client: client, in: space, at: moment(seconds), dryRun: dryRun)
  }
}

extension Findings {
  /// Expects that there is room after this many drafts were deleted.
  fileprivate func gaveWay(
    _ count: Int, _ room: DraftRoom, _ what: String, line: Int = #line, file: String = #fileID
  ) {
    guard case .made(let drafts, _, _) = room, drafts == count else {
      return add("\(what): \(room) instead of \(count)", line: line, file: file)
    }
  }
}
