import Announcements
import Foundation
import PhotoAttachments
import ReportFlow

extension AnnouncementRule {
  static let passwords = [
    Self("Owners are told from others, and what nobody has announced is nobody's") {
      place, found in
      let id = try await place.publish(report()).id
      let store = try place.open()
      for client in ["me", nil] {
        try await store.authorize(id: id, managementPassword: "p", client: client)
      }
      for unknown in ["x", "", id + "\0", "\0", id.uppercased() + "x"] {
        await found.refuses(.notFound(id: unknown)) {
          try await store.authorize(id: unknown, managementPassword: "p", client: "me")
        }
      }
      for wrong in ["", "pp", "q"] {
        await found.refuses(.wrongPassword) {
          try await store.authorize(id: id, managementPassword: wrong, client: nil)
        }
      }
    },
    Self("A wrong password changes nothing, whatever was to be done") { place, found in
      let made = try await place.publish(report())
      let store = try place.open()
      let photo = try await place.photo("other", of: "orientation-6.jpg")
      await found.refuses(.wrongPassword) {
        try await store.attachPhoto(photo, to: made.id, managementPassword: "x", client: nil)
      }
      await found.refuses(.wrongPassword) {
        try await store.close(id: made.id, managementPassword: "x", client: nil)
      }
      await found.refuses(.wrongPassword) {
        try await store.erase(id: made.id, managementPassword: "x", client: nil)
      }
      found.equal(try await place.open().announcement(id: made.id), made)
    },
    Self("A client shares five tries a minute among all announcements, and has one more at each") {
      place, found in
      let (one, other) = (
        try await place.publish(report()).id, try await place.publish(report()).id
      )
      func wrong(_ id: String) async {
        await found.refuses(.wrongPassword) {
          try await place.open().authorize(id: id, managementPassword: "x", client: "me")
        }
      }
      func waits(_ id: String, _ seconds: TimeInterval) async throws {
        let until = place.now.addingTimeInterval(seconds)
        // Another process refuses as well, even the right password, because it compares none.
        for password in ["x", "p"] {
          await found.refuses(.throttled(until: until)) {
            try await place.open().authorize(id: id, managementPassword: password, client: "me")
          }
        }
      }
      for id in [one, other, one, other, one] { await wrong(id) }
      // Only the reserved tries are left.
      await wrong(one)
      try await waits(one, 12)
      await wrong(other)
      try await waits(other, 12)
      place.wait(11.5)
      try await waits(one, 0.5)
      place.wait(0.5)
      await wrong(one)
      try await waits(other, 12)
      for _ in 0..<3 {
        place.wait(12)
        await wrong(one)
      }
      try await waits(one, 12)
      place.wait(12)
      // After a minute the reserved try is available again.
      for _ in 0..<2 { await wrong(other) }
      try await waits(other, 12)
      place.wait(60)
      for _ in 0..<6 { await wrong(one) }
      try await waits(one, 12)
    },
    Self("Five wrong codes of a neighbor lock out no right one, which gives them back") {
      place, found in
      let (one, other) = (
        try await place.publish(report()).id, try await place.publish(report()).id
      )
      for _ in 0..<3 {
        for id in [one, one, one, one, one, other] {
          await found.refuses(.wrongPassword) {
            try await place.open().authorize(id: id, managementPassword: "x", client: "me")
          }
        }
        for id in [one, other] {
          try await place.open().authorize(id: id, managementPassword: "p", client: "me")
        }
      }
    },
    Self("Wrong passwords of others keep the owner out of nothing") { place, found in
      let (one, other) = (try await place.publish(report()), try await place.publish(report()))
      let store = try place.open()
      for _ in 0..<5 {
        await found.refuses(.wrongPassword) {
          try await store.authorize(id: one.id, managementPassword: "x", client: "stranger")
        }
      }
      try await store.authorize(id: one.id, managementPassword: "p", client: "owner")
      try await store.authorize(id: one.id, managementPassword: "p", client: nil)
      try await store.authorize(id: other.id, managementPassword: "p", client: "stranger")
    },
    Self("Twelve tries at once at several stores are counted like one after the other") {
      place, found in
      let id = try await place.publish(report()).id
      let stores = try (0..<4).map { _ in try place.open() }
      let tries = await together(12) { number in
        try await stores[number % 4].authorize(id: id, managementPassword: "x", client: "me")
      }
      var looked = 0
      for case .failure(let error) in tries {
        switch error as? AnnouncementError {
        case .wrongPassword: looked += 1
        case .throttled(let until): found.equal(until, place.now.addingTimeInterval(12))
        default: found.add("\(error)")
        }
      }
      found.equal(looked, 6)
    },
    Self("Counts that say nothing any more go, a hundred with each try") { place, found in
      let (id, now) = (try await place.publish(report()).id, place.now.milliseconds)
      // The shared tries are available again after a minute, and so is the reserved one.
      for (count, moment) in [(150, now - 60_000), (1, now - 59_999)] {
        let clients = """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
          """
        try place.ways.change(
          """
          \(clients) INSERT INTO wrong_password (announcement, client, tries, tried_at)
          SELECT '\(id)', 'client \(moment) ' || i, 1, \(moment) FROM n
          """)
        try place.ways.change(
          """
          \(clients) INSERT INTO client_tries (client, full_at)
          SELECT 'client \(moment) ' || i, \(moment + 60_000) FROM n
          """)
      }
      for left in [52, 2, 2] {
        await found.refuses(.wrongPassword) {
          try await place.open().authorize(id: id, managementPassword: "x", client: "me")
        }
        for table in ["wrong_password", "client_tries"] {
          let rows = try place.ways.photos().catalog.database.rows(
            "SELECT count(*) FROM \(table)", [])
          found.equal(rows.first?.number(0), Int64(left), table)
        }
      }
    },
  ]

  static let closing = [
    Self("What is closed leaves every list for good, and is still looked up") { place, found in
      let store = try place.open()
      let (kept, made) = (
        try await place.publish(report("kept")), try await place.publish(report("gone"))
      )
      let photo = try await place.photo()
      place.wait(5)
      for _ in 0..<2 {
        let closed = try await place.open().close(
          id: made.id, managementPassword: "p", client: "me")
        found.equal(closed.status, .closed)
      }
      found.equal(try await place.open().announcement(id: made.id).status, .closed)
      found.equal(
        try await store.announcements(matching: .defaultQuery(location: nil)).map(\.id), [kept.id])
      found.expect(try await store.shows(photo: photo.id))
      _ = try await store.close(id: kept.id, managementPassword: "p", client: nil)
      found.expect(try await !store.shows(photo: photo.id))
      found.expect(try await !store.shows(photo: UUID()))
    },
    Self("For seven days the owner can open what was closed, unless its chip is announced again") {
      place, found in
      let store = try place.open()
      let made = try await place.publish(report("Rex", chip: "123"))
      let owner = try await store.authorize(id: made.id, managementPassword: "p", client: nil)
      found.expect(try await store.close(owner, reason: .home).details.isHome)
      found.expect(try await store.close(owner, reason: .other).details.isHome)
      place.wait(7 * 24 * 3600 - 1)
      found.expect(try await !store.reopen(owner).details.isHome)
      found.equal(try await store.reopen(owner).status, .lost)
      found.equal(try await store.announcements(matching: .init()).map(\.id), [made.id])
      _ = try await store.close(owner)
      let other = try await place.publish(report("Rex", chip: "123"))
      await found.refuses(.duplicateMicrochip) { try await store.reopen(owner) }
      _ = try await store.close(id: other.id, managementPassword: "p", client: nil)
      place.wait(7 * 24 * 3600 - 1)
      found.expect(try await store.owner(id: made.id).canReopen(at: place.now))
      place.wait(2)
      // A later change by an operator doesn't count as closing.
      try await store.hide(id: made.id, reason: "spam")
      found.expect(try await !store.owner(id: made.id).canReopen(at: place.now))
      try await store.unhide(id: made.id)
      found.expect(try await !store.owner(id: made.id).canReopen(at: place.now))
      await found.refuses(.closed(id: made.id)) { try await store.reopen(owner) }
      try await store.hide(id: other.id, reason: "spam")
      let hidden = try await store.authorize(id: other.id, managementPassword: "p", client: nil)
      await found.refuses(.takenDown(id: other.id, reason: "spam")) {
        try await store.reopen(hidden)
      }
    },
    Self("Of what is closed for long, only the pet's name and species stay") { place, found in
      let store = try place.open()
      var full = report("Rex", chip: "123", at: try point(52, 21))
      (full.description, full.email) = ("Call Ola", "ola@example.org")
      full.texts[.near] = "by the lake"
      let made = try await place.publish(full)
      let open = try await place.publish(report("Ala"))
      let photo = try await place.photo()
      _ = try await store.close(id: made.id, managementPassword: "p", client: nil)
      found.equal(try await store.forgetClosed(before: place.now, dryRun: false), 0)
      place.wait(1)
      for (isDry, count) in [(true, 1), (false, 1), (false, 0)] {
        found.equal(try await store.forgetClosed(before: place.now, dryRun: isDry), count)
        let left = try await store.announcement(id: made.id)
        found.equal(left.contactName.isEmpty, !isDry)
        found.equal(left.details.photoID == nil, !isDry)
      }
      let left = try await store.announcement(id: made.id)
      found.equal([left.petName, left.species, left.contactPhone], ["Rex", "Dog", ""])
      found.expect(left.description == nil && left.location == nil && left.details.breed == nil)
      found.equal(left.details.texts, PublishedTexts())
      found.equal(try await store.announcement(id: open.id).details.photoID, photo.id)
      let listed = try await store.announcements(
        matching: .init(filter: AnnouncementFilter(text: "rex", speciesID: nil)))
      found.equal(listed, [])
    },
    Self("A short code leads to its announcement in any case, and is never given again") {
      place, found in
      let store = try place.open()
      let made = try await place.publish(report())
      let code = made.details.shortCode ?? ""
      found.equal(code.count, 5)
      for text in [code, code.lowercased()] {
        found.equal(try await store.id(shortCode: text), made.id)
      }
      for text in ["", "AAAA", "AAAAAA", "IO01L", "ąąąąą"] {
        await found.refuses(.notFound(id: text)) { try await store.id(shortCode: text) }
      }
      try await store.erase(id: made.id, managementPassword: "p", client: nil)
      await found.refuses(.closed(id: code)) { try await store.id(shortCode: code) }
    },
    Self("Closed stays closed, also when a photo comes at the same moment") { place, found in
      let stores = try (0..<2).map { _ in try place.open() }
      let photo = try await place.photo()
      for _ in 0..<6 {
        let made = try await stores[0].create(
          report(), idempotencyKey: UUID(), managementPassword: "p")
        let id = made.announcement.id
        _ = await together(2) { number in
          if number == 0 {
            _ = try await stores[0].close(id: id, managementPassword: "p", client: nil)
          } else {
            _ = try await stores[1].attachPhoto(
              photo, to: id, managementPassword: "p", client: nil)
          }
        }
        found.equal(try await place.open().announcement(id: id).status, .closed)
      }
      found.equal(try await stores[0].announcements(matching: .defaultQuery(location: nil)), [])
    },
    Self("What is erased is gone with its draft, and closed for whoever asks for it again") {
      place, found in
      let made = try await place.publish(report())
      let (other, drafts) = (try await place.publish(report()), try place.ways.drafts())
      for (draft, id) in [("mine", made.id), ("theirs", other.id)] {
        _ = try drafts.write(
          #"{"submission":{"announcementID":"\#(id)","isComplete":true}}"#, of: draft, over: nil,
          at: place.now)
      }
      try await place.open().erase(id: made.id, managementPassword: "p", client: "me")
      await found.refuses(.closed(id: made.id)) {
        try await place.open().announcement(id: made.id)
      }
      await found.refuses(.closed(id: made.id)) {
        try await place.open().erase(id: made.id, managementPassword: "p", client: "me")
      }
      found.equal(try drafts.draft("mine"), nil)
      found.expect(try drafts.draft("theirs") != nil)
      found.equal(try await place.open().ids(beginning: "", limit: 9), [other.id])
    },
    Self("What is erased stays erased: no late photo and no repeated create brings it back") {
      place, found in
      let (store, key, photos) = (try place.open(), UUID(), try place.ways.photos())
      let made = try await store.create(report(), idempotencyKey: key, managementPassword: "p")
      let (id, photo) = (made.announcement.id, try await place.photo("mine"))
      _ = try await store.attachPhoto(photo, to: id, managementPassword: "p", client: nil)
      _ = try place.ways.drafts().write(
        #"{"submission":{"announcementID":"\#(id)","isComplete":true}}"#, of: "mine", over: nil,
        at: place.now)
      try await store.erase(id: id, managementPassword: "p", client: "me")
      // Its draft still showed the photo.
      found.expect(try photos.catalog.attachment(draft: "mine") == nil)
      found.expect(try photos.catalog.photo(id: photo.id.uuidString) == nil)
      let late = try await place.photo("late")
      await found.refuses(.closed(id: id)) {
        try await place.open().attachPhoto(late, to: id, managementPassword: "p", client: nil)
      }
      await found.refuses(.keyTaken) {
        try await place.open().create(report(), idempotencyKey: key, managementPassword: "p")
      }
      // A new announcement may use the same picture and the same text.
      let new = try await place.publish(report())
      found.expect(new.id != id && new.details.photoSHA256 == photo.sha256)
    },
  ]
}
