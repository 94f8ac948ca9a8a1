import Announcements
import Foundation
import PhotoAttachments
import ReportFlow

extension AnnouncementRule {
  static let hiding = [
    Self("A hidden one is in no list and shows no photo until it is unhidden") { place, found in
      let (store, here) = (try place.open(), try point(52, 21))
      let made = try await place.publish(report("Rex", at: here))
      let other = try await place.publish(report("Max", at: here))
      let photo = try await place.photo("own", of: "orientation-6.jpg")
      let shown = try await store.attachPhoto(
        photo, to: made.id, managementPassword: "p", client: nil)
      place.wait(1)
      for reason in ["letter of 3 May", "  'spam' \"żółw\" "] {
        try await place.open().hide(id: made.id, reason: reason)
        for query in [
          AnnouncementListQuery.defaultQuery(location: nil), .landingPageQuery(location: here),
          .init(sortBy: .distanceFromUser, location: here),
          .init(sortBy: .createdAtAscending, location: here, range: 9),
        ] { found.equal(try await store.announcements(matching: query).map(\.id), [other.id]) }
        let hidden = try await store.announcement(id: made.id)
        found.equal(hidden.status, .closed)
        found.equal(hidden.details.hiddenReason, reason.trimmingCharacters(in: .whitespaces))
        await found.refuses(
          .takenDown(id: made.id, reason: hidden.details.hiddenReason)
        ) { try hidden.requireOpen() }
        found.expect(try await !store.shows(photo: photo.id))
      }
      found.equal(try await store.ids(beginning: made.id, limit: 9), [made.id])
      for _ in 0..<2 { try await place.open().unhide(id: made.id) }
      var again = try await store.announcement(id: made.id)
      found.equal(again.updatedAt, place.now)
      again.updatedAt = shown.updatedAt
      found.equal(again, shown)
      found.expect(try await store.shows(photo: photo.id))
      found.equal(
        try await store.announcements(matching: .defaultQuery(location: nil)).map(\.id),
        [other.id, made.id])
    },
    Self("Operators list what is hidden, the last changed first, whoever closed it") {
      place, found in
      let store = try place.open()
      var made = [Announcement]()
      for name in ["a", "b", "c", "d"] { made.append(try await place.publish(report(name))) }
      for one in [made[2], made[0]] {
        place.wait(1)
        try await store.hide(id: one.id, reason: "why \(one.petName)")
      }
      _ = try await store.close(id: made[1].id, managementPassword: "p", client: nil)
      let hidden = try await place.open().listHidden(limit: 9)
      found.equal(hidden.map(\.id), [made[0].id, made[2].id])
      found.equal(hidden.map(\.details.hiddenReason), ["why a", "why c"])
      found.equal(try await store.listHidden(limit: 1).map(\.id), [made[0].id])
      try await store.unhide(id: made[0].id)
      place.wait(1)
      _ = try await store.close(id: made[2].id, managementPassword: "p", client: nil)
      found.equal(try await store.listHidden(limit: 9).map(\.id), [made[2].id])
    },
    Self("What is hidden needs a reason, and both need an announcement") { place, found in
      let store = try place.open()
      let made = try await place.publish(report())
      for reason in ["", " \n", String(repeating: "x", count: 501), "a\0b"] {
        await found.refuses(.invalid(["reason"])) {
          try await store.hide(id: made.id, reason: reason)
        }
      }
      for unknown in ["x", "", made.id + "\0", "'"] {
        await found.refuses(.notFound(id: unknown)) {
          try await store.hide(id: unknown, reason: "r")
        }
        await found.refuses(.notFound(id: unknown)) { try await store.unhide(id: unknown) }
        await found.refuses(.notFound(id: unknown)) { try await store.erase(id: unknown) }
      }
      found.equal(try await store.announcements(matching: .init()), [made])
    },
    Self("The owner of a hidden one may close and erase it, and give it no photo") { place, found in
      let (store, photo) = (try place.open(), try await place.photo())
      let hidden = try await place.publish(report())
      let half = try await store.create(
        report(), idempotencyKey: UUID(), managementPassword: "p", client: nil
      ).announcement
      for one in [hidden, half] {
        try await store.hide(id: one.id, reason: "spam")
        await found.refuses(.takenDown(id: one.id, reason: "spam")) {
          try await store.attachPhoto(photo, to: one.id, managementPassword: "p", client: nil)
        }
      }
      found.equal(try await store.announcement(id: half.id).details.photoID, nil)
      place.wait(1)
      for _ in 0..<2 {
        _ = try await store.close(id: hidden.id, managementPassword: "p", client: nil)
      }
      found.equal(try await store.announcement(id: hidden.id).details.hiddenReason, "spam")
      // An announcement that the owner has closed stays closed after it is hidden and unhidden.
      try await store.hide(id: hidden.id, reason: "spam")
      try await store.unhide(id: hidden.id)
      let closed = try await store.announcement(id: hidden.id)
      found.equal(closed.status, .closed)
      found.equal(closed.details.hiddenReason, nil)
      found.expect(try await store.announcements(matching: .init()).isEmpty)
      try await store.erase(id: half.id, managementPassword: "p", client: nil)
      found.equal(try await store.ids(beginning: "", limit: 9), [hidden.id])
    },
    Self("A closed one that is hidden and unhidden stays closed") { place, found in
      let store = try place.open()
      let made = try await place.publish(report())
      _ = try await store.close(id: made.id, managementPassword: "p", client: nil)
      try await store.hide(id: made.id, reason: "r")
      try await store.unhide(id: made.id)
      found.equal(try await store.announcement(id: made.id).status, .closed)
      found.equal(try await store.announcement(id: made.id).details.hiddenReason, nil)
    },
    Self("A hidden one does not hold its chip, and stays hidden while another one does") {
      place, found in
      let (store, chip) = (try place.open(), "616093900000001")
      let squatter = try await place.publish(report("squatter", chip: chip))
      try await store.hide(id: squatter.id, reason: "not theirs")
      let owner = try await place.publish(report("owner", chip: chip))
      await found.refuses(.duplicateMicrochip) { try await place.open().unhide(id: squatter.id) }
      found.equal(try await store.announcements(matching: .init()).map(\.id), [owner.id])
      found.equal(try await store.announcement(id: squatter.id).details.hiddenReason, "not theirs")
      _ = try await store.close(id: owner.id, managementPassword: "p", client: nil)
      try await store.unhide(id: squatter.id)
      found.equal(try await store.announcements(matching: .init()).map(\.id), [squatter.id])
      // If its owner closed it while it was hidden, it can be unhidden although another one has its chip.
      try await store.hide(id: squatter.id, reason: "not theirs")
      _ = try await store.close(id: squatter.id, managementPassword: "p", client: nil)
      try await place.publish(report("another", chip: chip))
      try await store.unhide(id: squatter.id)
    },
    Self("An operator erases without a password, whatever the state, and the photo with it") {
      place, found in
      let (store, photos) = (try place.open(), try place.ways.photos())
      let open = try await place.publish(report())
      let hidden = try await place.publish(report())
      let closed = try await place.publish(report())
      let photo = try await place.photo()
      try await photos.remove(draft: "album")
      try await store.hide(id: hidden.id, reason: "r")
      _ = try await store.close(id: closed.id, managementPassword: "p", client: nil)
      try place.ways.change("UPDATE announcement SET contact_phone = '' WHERE id = '\(open.id)'")
      for id in [open.id, hidden.id, closed.id] {
        found.expect(try photos.catalog.photo(id: photo.id.uuidString) != nil)
        try await place.open().erase(id: id)
      }
      found.equal(try await store.ids(beginning: "", limit: 9), [])
      found.expect(try photos.catalog.photo(id: photo.id.uuidString) == nil)
      found.expect(!FileManager.default.fileExists(atPath: photo.file.path))
    },
    Self("Photos that race with a takedown never show a hidden one") { place, found in
      let stores = try (0..<4).map { _ in try place.open() }
      let photo = try await place.photo()
      for _ in 0..<4 {
        let made = try await stores[0].create(
          report(), idempotencyKey: UUID(), managementPassword: "p", client: nil
        ).announcement
        _ = await together(4) { number in
          if number == 0 { return try await stores[0].hide(id: made.id, reason: "r") }
          _ = try await stores[number].attachPhoto(
            photo, to: made.id, managementPassword: "p", client: nil)
        }
        found.equal(try await stores[1].announcement(id: made.id).status, .closed)
        found.expect(try await stores[2].announcements(matching: .init()).isEmpty)
      }
    },
  ]
}
