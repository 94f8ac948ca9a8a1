import Foundation
import PhotoAttachments

extension StoreRule {
  private static let always = moment(-1000)...moment(1000)

  static let drafts = [
    Self("Attachments that nobody touched since the moment expire, with their photos") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      for (number, draft) in ["old", "last", "new", "touched"].enumerated() {
        try stores.attach(number, to: draft, at: [9.999, 10, 10.001, 5][number])
      }
      try other.catalog.keepAlive(draft: "touched", at: moment(20))
      try other.catalog.keepAlive(draft: "unknown", at: moment(20))
      // A removed photo leaves an attachment, which expires too.
      try stores.attach(8, to: "empty", at: 1)
      try stores.giveUp(
        try stores.catalog.handle(.remove, draft: "empty", at: moment(2)).gone)
      for dryRun in [true, true, false] {
        let told = try stores.catalog.expire(
          before: moment(10), believable: always, dryRun: dryRun)
        found.equal(told.drafts, 2, "drafts, dry run \(dryRun)")
        found.equal(Set(told.gone), Set(Stores.places(0)), "pictures, dry run \(dryRun)")
        found.equal(
          try other.machine("old") != nil, dryRun, "whether `old` is there, dry run \(dryRun)")
        if !dryRun { try stores.giveUp(told.gone) }
      }
      for draft in ["last", "new", "touched"] {
        found.expect(try other.catalog.attachment(draft: draft)?.photo != nil, "\(draft) expired")
      }
      found.equal(try other.machine("empty"), nil, "an empty attachment")
      found.equal(try other.machine("unknown"), nil, "a draft that was only touched")
      found.equal(try other.listed(), Set((1...3).flatMap(Stores.places)), "pictures")
      let rest = try other.catalog.expire(before: moment(1000), believable: always, dryRun: false)
      found.equal(rest.drafts, 3, "drafts at the end")
      found.equal(Set(rest.gone), Set((1...3).flatMap(Stores.places)), "pictures at the end")
      found.equal(try stores.photos(), [], "photos at the end")
    },
    Self("A host's photo expires by the limit for hosts alone, and stays the host's") {
      place, found in
      let stores = try place.open()
      for (number, draft) in ["kept", "old", "removed", "report"].enumerated() {
        let owner: AttachmentOwner = draft == "report" ? .report : .host
        try stores.attach(number, to: draft, of: owner, at: draft == "old" ? 1 : 5)
      }
      // A report that takes over a host's draft doesn't shorten the life of its photo.
      try stores.attach(8, to: "kept", of: .report, at: 5)
      try stores.giveUp(
        try stores.catalog.handle(.remove, draft: "removed", at: moment(5)).gone)
      let none = try stores.catalog.expire(before: moment(10), believable: always, dryRun: false)
      found.equal(none.drafts, 2, "drafts without a limit for hosts")
      try stores.giveUp(none.gone)
      found.equal(try stores.machine("removed"), nil, "what the host removed")
      found.equal(try stores.machine("report"), nil, "the report's")
      let some = try stores.catalog.expire(
        before: moment(10), hosts: moment(2), believable: always, dryRun: false)
      found.equal(some.drafts, 1, "drafts with a limit for hosts")
      found.equal(try stores.machine("old"), nil, "the host's old one")
      found.expect(try stores.catalog.attachment(draft: "kept")?.photo != nil, "`kept` expired")
    },
    Self("What was touched at an unbelievable moment counts as touched at the end of the others") {
      place, found in
      let stores = try place.open()
      try stores.attach(1, to: "past", at: -2000)
      try stores.attach(2, to: "future", at: 2000)
      let catalog = stores.catalog
      let first = try catalog.expire(before: moment(999), believable: always, dryRun: false)
      found.equal(first.drafts, 0, "drafts whose days are counted anew")
      let later = moment(-1000)...moment(3000)
      let before = try catalog.expire(before: moment(1000), believable: later, dryRun: false)
      found.equal(before.drafts, 0, "drafts at the end of the moments")
      let after = try catalog.expire(before: moment(1000.001), believable: later, dryRun: false)
      found.equal(after.drafts, 2, "drafts after it")
    },
    Self("Expiry ends attempts whose owner is gone, and leaves those that are alive") {
      place, found in
      let stores = try place.open()
      let alive = try stores.catalog.begin(draft: "alive", at: moment(0))
      let left = try stores.catalog.begin(draft: "left", at: moment(900))
      let shown = try stores.attach(1, to: "shown", at: 0)
      let leftBehind = try stores.catalog.begin(draft: "shown", at: moment(900))
      stores.catalog.end(left)
      stores.catalog.end(leftBehind)
      found.equal(
        try stores.catalog.abandonedDrafts().sorted(), ["left", "shown"], "abandoned drafts")
      for dryRun in [true, false] {
        let told = try stores.catalog.expire(
          before: moment(500), believable: always, dryRun: dryRun)
        found.equal(told.drafts, 0, "drafts, dry run \(dryRun)")
        found.equal(
          try stores.catalog.abandonedDrafts().count, dryRun ? 2 : 0,
          "abandoned drafts, dry run \(dryRun)")
      }
      found.equal(
        try stores.machine("alive"), Machine(.loading(alive, previous: nil)), "the living")
      found.equal(try stores.machine("left"), Machine(.empty, failure: "interrupted"), "the left")
      found.equal(
        try stores.machine("shown"), Machine(.confirmed(shown.uuid), failure: "interrupted"),
        "the left with a photo")
    },
    Self("An attempt is alive until its process is done with it, whoever looks") { place, found in
      let (stores, other) = (try place.open(), try place.open())
      let ticket = try stores.catalog.begin(draft: "a", at: moment(0))
      found.equal(try other.catalog.abandonedDrafts(), [], "abandoned drafts")
      found.equal(try other.catalog.attachment(draft: "a")?.isOwnerAlive, true, "alive")
      try other.catalog.restore(draft: "a", at: moment(0))
      try other.catalog.restore(draft: "none", at: moment(0))
      found.equal(try stores.machine("a"), Machine(.loading(ticket, previous: nil)), "restored")
      // The ticket of another draft, and an invalid one.
      stores.catalog.end(ticket + 1000)
      found.equal(try other.catalog.attachment(draft: "a")?.isOwnerAlive, true, "still alive")
      stores.catalog.end(ticket)
      found.equal(try other.catalog.abandonedDrafts(), ["a"], "abandoned drafts at the end")
      found.equal(try other.catalog.attachment(draft: "a")?.isOwnerAlive, false, "dead")
      try other.catalog.restore(draft: "a", at: moment(0))
      found.equal(try stores.machine("a"), Machine(.empty, failure: "interrupted"), "ended")
      found.equal(try other.machine("none"), nil, "a draft that nothing happened to")
      // A late confirmation changes nothing and leaves no pictures.
      let photo = try Stores.sample(1)
      try stores.put(1)
      let applied = try stores.confirm(photo, draft: "a", ticket: ticket)
      found.equal(applied?.machine, Machine(.empty, failure: "interrupted"), "too late")
      found.equal(Set(applied?.gone ?? []), Set(Stores.places(1)), "given up")
      found.equal(try stores.photos(), [], "photos")
    },
    Self("An attempt replaces the photo before, and any attempt under way") {
      place, found in
      let stores = try place.open()
      try stores.attach(1, to: "a")
      let late = try stores.catalog.begin(draft: "a", at: moment(1))
      let photo = try Stores.sample(2)
      let ticket = try stores.catalog.begin(draft: "a", at: moment(2))
      found.equal(try stores.confirm(photo, draft: "a", ticket: ticket, at: 2), nil, "no pictures")
      found.equal(
        try stores.catalog.attachment(draft: "a")?.machine.ticket, ticket, "nothing has happened")
      try stores.put(2)
      let applied = try stores.confirm(photo, draft: "a", ticket: ticket, at: 2)
      found.equal(applied?.machine, Machine(.confirmed(photo.uuid)), "confirmed")
      found.equal(Set(applied?.gone ?? []), Set(Stores.places(1)), "given up")
      let third = try Stores.sample(3)
      try stores.put(3)
      found.equal(
        try stores.confirm(third, draft: "a", ticket: late)?.machine,
        Machine(.confirmed(photo.uuid)), "superseded")
      let next = try stores.catalog.begin(draft: "a", at: moment(3))
      found.expect(next != late, "a ticket of its own")
      stores.catalog.end(next)
      stores.catalog.end(late)
    },
    Self("Drafts are told apart by every byte of their ids") { place, found in
      let stores = try place.open()
      let ids = ["", "a", "A", "a ", "ą", "%", "a'b\"c", "🐕", "NULL", "long\(ids(500))"]
      for (number, id) in ids.enumerated() { try stores.attach(number, to: id) }
      for (number, id) in ids.enumerated() {
        let photo = try stores.catalog.attachment(draft: id)?.photo
        found.equal(photo?.place(.blob), Stores.blob(number), "draft \(number)")
      }
      found.equal(try stores.photos().count, ids.count, "photos")
    },
    Self("Forgetting a photo of the library leaves what was picked from it, and tells whose") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      let asset = try stores.join(1, path: "/1")
      let (one, two) = (UUID(), UUID())
      for (id, draft) in [(one, "b"), (two, "a")] {
        _ = try stores.catalog.attach(asset: asset.uuid, as: id, draft: draft, at: moment(0)) {
          _ in
        }
      }
      let ticket = try stores.catalog.begin(draft: "b", at: moment(0))
      try stores.attach(2, to: "c")
      let done = try other.catalog.forget(asset: asset.uuid)
      found.equal(done.drafts, ["a", "b"], "drafts")
      try other.giveUp(done.gone)
      found.equal(
        try stores.machine("a"), Machine(.confirmed(two), failure: "asset-forgotten"), "a")
      found.equal(
        try stores.machine("b"),
        Machine(.loading(ticket, previous: one), failure: "asset-forgotten"),
        "b")
      found.expect(try stores.catalog.photo(id: asset.id) == nil, "the photo is there")
      found.expect(
        try stores.catalog.lookups(of: [(Array("/1".utf8), .sample(1))])[0] == nil, "look")
      found.expect(try stores.catalog.known(sha256: Stores.digest(1)) == nil, "digest is known")
      found.expect(try stores.catalog.librarySeal(photo: asset.id) == nil, "in the library")
      func mark(_ path: String, _ number: Int) -> String {
        ErasureMark.file(path: Array(path.utf8), sha256: Stores.digest(number))
      }
      var question = GroupQuery()
      question.marks = [mark("/1", 1), mark("/2", 1), mark("/1", 2)]
      found.equal(
        try stores.catalog.knowledge(of: question).erased, [mark("/1", 1)], "marks of files")
      for id in [one, two] {
        let photo = try stores.catalog.photo(id: id.uuidString)
        found.equal(photo?.fields["assetIdentifier"], .null, "origin")
        found.equal(photo?.isSealed, true, "sealed")
      }
      found.expect(try stores.storage.holds(asset), "the pictures are gone")
      found.fails("forgetting twice", with: .missingPhoto) {
        try other.catalog.forget(asset: asset.uuid)
      }
      found.fails("forgetting what was only attached", with: .missingPhoto) {
        try other.catalog.forget(asset: one)
      }
    },
  ]

  private static func ids(_ count: Int) -> String { String(repeating: "ż", count: count) }
}
