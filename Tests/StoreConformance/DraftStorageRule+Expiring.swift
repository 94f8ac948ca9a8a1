import Announcements
import Foundation
import ReportFlow

extension DraftStorageRule {
  static let listing = [
    Self("Ids come by the moment of the last writing, then by their bytes") { place, found in
      let drafts = try place.open()
      for (id, seconds) in [
        ("new", 30), ("ż", 20), ("b", 20), ("a", 20), ("Z", 20), ("old", 10.001), ("older", 10),
      ] { found.expect(try drafts.write("{}", of: id, over: nil, at: moment(seconds)) != nil) }
      found.equal(try drafts.ids(untouchedSince: nil), ["older", "old", "Z", "a", "b", "ż", "new"])
      found.equal(try drafts.ids(untouchedSince: moment(20)), ["older", "old"])
      found.equal(try drafts.ids(untouchedSince: moment(10.001)), ["older"])
      found.equal(try drafts.ids(untouchedSince: moment(10)), [])
      let revision = try drafts.draft("older")?.revision
      found.expect(try drafts.write("{}", of: "older", over: revision, at: moment(40)) != nil)
      found.equal(try drafts.ids(untouchedSince: nil).last, "older")
      found.equal(try place.open().ids(untouchedSince: moment(15)), ["old"])
    }
  ]

  static let expiring = [
    Self("Drafts written before the moment expire, those of it or later stay") { place, found in
      let drafts = try place.open()
      for seconds in [10, 19.999, 20, 30] {
        found.expect(
          try drafts.write("{}", of: "\(seconds)", over: nil, at: moment(seconds)) != nil)
      }
      found.equal(try drafts.expire(before: moment(10), dryRun: false), 0)
      found.equal(try drafts.expire(before: moment(20), dryRun: false), 2)
      found.equal(try drafts.ids(untouchedSince: nil), ["20.0", "30.0"])
      found.equal(try drafts.expire(before: moment(20), dryRun: false), 0)
    },
    Self("A dry run counts what the next one deletes, and deletes nothing") { place, found in
      let drafts = try place.open()
      for id in ["a", "b"] {
        found.expect(try drafts.write(id, of: id, over: nil, at: moment(0)) != nil)
      }
      let records = try ["a", "b"].map { try drafts.draft($0) }
      for _ in 1...2 { found.equal(try drafts.expire(before: moment(1), dryRun: true), 2) }
      found.equal(try ["a", "b"].map { try drafts.draft($0) }, records)
      found.equal(try drafts.expire(before: moment(1), dryRun: false), 2)
      found.equal(try drafts.ids(untouchedSince: nil), [])
    },
    Self("What is typed puts the expiry off") { place, found in
      let drafts = try place.open()
      let revision = try drafts.write("1", of: "a", over: nil, at: moment(0))
      found.expect(try drafts.write("2", of: "a", over: revision, at: moment(20)) != nil)
      found.equal(try drafts.expire(before: moment(10), dryRun: false), 0)
      found.equal(try drafts.draft("a")?.content, "2")
    },
    Self("A photo that was touched since keeps its draft, and no other one") { place, found in
      let drafts = try place.open()
      for id in ["in use", "alone"] {
        found.expect(try drafts.write("{}", of: id, over: nil, at: moment(0)) != nil)
      }
      try await place.touchPhoto("in use", moment(10))
      found.equal(try drafts.expire(before: moment(10), dryRun: true), 1)
      found.equal(try drafts.expire(before: moment(10), dryRun: false), 1)
      found.equal(try drafts.ids(untouchedSince: nil), ["in use"])
    },
    Self("A draft whose photo is as old expires uncounted: the photos' sweep counts it") {
      place, found in
      let drafts = try place.open()
      for id in ["with a photo", "without"] {
        found.expect(try drafts.write("{}", of: id, over: nil, at: moment(0)) != nil)
      }
      try await place.touchPhoto("with a photo", moment(5))
      found.equal(try drafts.expire(before: moment(10), dryRun: true), 1)
      found.equal(try drafts.expire(before: moment(10), dryRun: false), 1)
      found.equal(try drafts.ids(untouchedSince: nil), [])
    },
    Self("Announcements without a photo go with the last draft that has their key") {
      place, found in
      guard let announcements = place.announcements else { return }
      let drafts = try place.open()
      let (old, young) = (try announcements { moment(0) }, try announcements { moment(10) })
      let (left, inUse, fresh) = (
        try await Half(in: old), try await Half(in: old), try await Half(in: young)
      )
      for (half, seconds) in [(left, 5.0), (inUse, 10), (fresh, 5)] {
        let text = #"{"submissionKey":"\#(half.key)"}"#
        found.expect(try drafts.write(text, of: half.id, over: nil, at: moment(seconds)) != nil)
      }
      // A text that can't be read keeps nothing, and doesn't prevent the expiry of others.
      found.expect(try drafts.write("{", of: "damaged", over: nil, at: moment(10)) != nil)
      found.equal(try drafts.expire(before: moment(10), dryRun: true), 2)
      for half in [left, inUse, fresh] { found.expect(await half.isKept(in: old)) }
      found.equal(try drafts.expire(before: moment(10), dryRun: false), 2)
      found.expect(await !left.isKept(in: old))
      for half in [inUse, fresh] { found.expect(await half.isKept(in: old)) }
    },
  ]

  /// An announcement that waits for its photo.
  private struct Half {
    let (id, key): (String, UUID)

    init(in repository: any AnnouncementRepositoryProtocol) async throws {
      let report = NewAnnouncement(
        species: "dog", breed: "Labrador", sex: .male,
        dateOfDisappearance: CalendarDay(moment(-86_400), in: .gmt), ownerName: "Ola",
        ownerPhone: "1234567")
      key = UUID()
      id = try await repository.create(report, idempotencyKey: key, managementPassword: "p")
        .announcement.id
    }

    func isKept(in repository: any AnnouncementRepositoryProtocol) async -> Bool {
      (try? await repository.announcement(id: id)) != nil
    }
  }
}
