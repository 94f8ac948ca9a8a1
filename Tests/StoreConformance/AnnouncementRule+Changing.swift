import Announcements
import Foundation
import ReportFlow

extension AnnouncementRule {
  static let changing = [
    Self("What is changed is read as it was said, and the rest stays") { place, found in
      let (store, here) = (try place.open(), try point(-89.9, 179.9))
      let made = try await place.publish(report("Rex", at: here))
      place.wait(1)
      let changed = try await place.open().change(
        id: made.id, managementPassword: "p", client: "me"
      ) {
        ($0.petName, $0.ownerPhone, $0.description) = (nil, "+48 600 111 223", "é\n🐕 \u{202E}")
        ($0.species, $0.breed, $0.sex, $0.age) = ("guinea-pig", "'x' \"y\" %_\\", .female, 40)
        ($0.location, $0.texts[.reward]) = (Coordinate(latitude: 52.5, longitude: 21.5), "100 zł")
        ($0.ownerName, $0.texts[.near]) = ("Żak", "nad jeziorem")
      }
      found.equal(try await store.announcement(id: made.id), changed)
      found.equal(changed.updatedAt, place.now)
      found.equal(changed.createdAt, made.createdAt)
      found.equal(changed.details.petNameGiven, false)
      found.equal(changed.contactPhone, "+48 600 111 223")
      found.equal(changed.contactName, "Żak")
      found.equal(changed.description, "é\n🐕 \u{202E}")
      found.equal(changed.details.speciesID, "guinea-pig")
      found.equal(changed.details.breed, "'x' \"y\" %_\\")
      found.equal(changed.details.sex, .female)
      found.equal(changed.details.age, 40)
      found.equal(changed.details.texts[.reward], "100 zł")
      found.equal(changed.details.texts[.near], "nad jeziorem")
      found.equal(changed.details.dateOfDisappearance, made.details.dateOfDisappearance)
      found.equal(changed.details.photoID, made.details.photoID)
      // Searches find the announcement at its new place.
      for (latitude, longitude, count) in [(52.5, 21.5, 1), (-89.9, 179.9, 0)] {
        let near = AnnouncementListQuery(
          sortBy: .distanceFromUser, location: try point(latitude, longitude), range: 5)
        found.equal(try await store.announcements(matching: near).count, count)
      }
      // Optional fields can be emptied.
      let emptied = try await store.change(id: made.id, managementPassword: "p", client: nil) {
        ($0.location, $0.age, $0.description, $0.texts[.reward]) = (nil, nil, nil, nil)
        $0.texts[.near] = nil
      }
      found.equal(emptied.location, nil)
      found.equal(emptied.details.age, nil)
      found.equal(emptied.description, nil)
      found.equal(emptied.details.texts[.reward], nil)
      found.equal(emptied.details.texts[.near], nil)
      found.equal(try await store.announcements(matching: .init()), [emptied])
    },
    Self("A change that changes nothing writes nothing") { place, found in
      let made = try await place.publish(report(chip: "616093900000002"))
      place.wait(1)
      let same = try await place.open().change(id: made.id, managementPassword: "p", client: nil) {
        ($0.petName, $0.microchipNumber) = ("Max", "616093900000002")
      }
      found.equal(same, made)
    },
    Self("A change that breaks rules is refused with all its fields and changes nothing") {
      place, found in
      let store = try place.open()
      let made = try await place.publish(report())
      await found.refuses(.invalid(["ownerPhone", "breed", "description", "petName"])) {
        try await store.change(id: made.id, managementPassword: "p", client: nil) {
          ($0.ownerPhone, $0.description) = ("1", "a\0b")
          $0.breed = String(repeating: "x", count: 101)
          $0.petName = String(repeating: "x", count: 101)
        }
      }
      found.equal(try await store.announcement(id: made.id), made)
      // A value that an older program accepted doesn't prevent a change of other fields.
      try place.ways.change(
        "UPDATE announcement SET breed = '\(String(repeating: "x", count: 101))' "
          + "WHERE id = '\(made.id)'")
      let changed = try await store.change(id: made.id, managementPassword: "p", client: nil) {
        $0.petName = "Rex"
      }
      found.equal(changed.petName, "Rex")
    },
    Self("Only an open announcement is changed, and only by its owner") { place, found in
      let store = try place.open()
      let (open, hidden) = (try await place.publish(report()), try await place.publish(report()))
      let closed = try await place.publish(report())
      try await store.hide(id: hidden.id, reason: "r")
      _ = try await store.close(id: closed.id, managementPassword: "p", client: nil)
      func change(_ id: String, _ password: String = "p") async throws -> Announcement {
        try await place.open().change(id: id, managementPassword: password, client: "me") {
          $0.petName = "Rex"
        }
      }
      await found.refuses(.wrongPassword) { try await change(open.id, "q") }
      await found.refuses(.takenDown(id: hidden.id, reason: "r")) { try await change(hidden.id) }
      await found.refuses(.closed(id: closed.id)) { try await change(closed.id) }
      await found.refuses(.notFound(id: "x")) { try await change("x") }
      for id in [open.id, hidden.id, closed.id] {
        found.equal(try await store.announcement(id: id).petName, "Max")
      }
    },
    Self("A chip that another open announcement has is no chip to change to") { place, found in
      let (store, chip) = (try place.open(), "616093900000003")
      let made = try await place.publish(report())
      let other = try await place.publish(report(chip: chip))
      func change(_ name: String) async throws -> Announcement {
        try await place.open().change(id: made.id, managementPassword: "p", client: nil) {
          ($0.petName, $0.microchipNumber) = (name, chip)
        }
      }
      await found.refuses(.duplicateMicrochip) { try await change("Rex") }
      found.equal(try await store.announcement(id: made.id), made)
      _ = try await store.close(id: other.id, managementPassword: "p", client: nil)
      found.equal(try await change("Rex").petName, "Rex")
      await found.refuses(.duplicateMicrochip) { try await place.publish(report(chip: chip)) }
    },
    Self("Of changes at once none is lost, and none comes after the close") { place, found in
      let stores = try (0..<4).map { _ in try place.open() }
      for _ in 0..<3 {
        let made = try await place.publish(report())
        let all = await together(8) { number in
          try await stores[number % 4].change(
            id: made.id, managementPassword: "p", client: nil
          ) { $0.description = ($0.description ?? "") + "\(number)" }
        }
        found.expect(try all.allSatisfy { try $0.get().status == .lost })
        let said = try await stores[0].announcement(id: made.id).description ?? ""
        found.equal(said.sorted(), Array("01234567"))
        let late = await together(8) { number in
          if number == 4 {
            return try await stores[0].close(id: made.id, managementPassword: "p", client: nil)
          }
          return try await stores[number % 4].change(
            id: made.id, managementPassword: "p", client: nil
          ) { $0.description = ($0.description ?? "") + "x" }
        }
        let end = try await stores[0].announcement(id: made.id)
        found.equal(end.status, .closed)
        found.equal(end.description?.count { $0 == "x" }, late.count { (try? $0.get()) != nil } - 1)
      }
    },
  ]
}
