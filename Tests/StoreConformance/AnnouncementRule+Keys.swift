import Announcements
import Foundation
import ReportFlow

extension AnnouncementRule {
  static let keys = [
    Self("What was made is found by its id by whoever opens the place, and listed with its photo") {
      place, found in
      let (store, key) = (try place.open(), UUID())
      let made = try await store.create(
        report(), idempotencyKey: key, managementPassword: "p")
      found.equal(made.managementPassword, "p")
      found.equal(made.announcement.createdAt, place.now)
      let id = made.announcement.id
      found.equal(try await place.open().announcement(id: id), made.announcement)
      found.expect(try await store.announcements(matching: .defaultQuery(location: nil)).isEmpty)
      place.wait(1)
      let shown = try await place.open().attachPhoto(
        try await place.photo(), to: id, managementPassword: "p", client: nil)
      found.equal(shown.details.photoID, try await place.photo().id)
      found.equal(shown.details.photoPixels, PhotoPixels(width: 1, height: 1))
      found.equal(shown.updatedAt, place.now)
      found.equal(try await store.announcements(matching: .defaultQuery(location: nil)), [shown])
      for unknown in ["x", "", id + "\0", "\0", "'"] {
        await found.refuses(.notFound(id: unknown)) { try await store.announcement(id: unknown) }
      }
    },
    Self("Whatever a report says is read as it was said") { place, found in
      var full = report("Ząb 'x' \"y\" %_\\", chip: "000000000000001", at: try point(-89.9, 179.9))
      (full.age, full.description, full.email) = (40, "é\n🐕 \u{202E}", "ola@example.org")
      (full.texts[.reward], full.texts[.near]) = ("100 zł", "by the lake, Mokotów")
      for said in [full, report(nil)] {
        let made = try await place.open().create(
          said, idempotencyKey: UUID(), managementPassword: "p")
        let read = try await place.open().announcement(id: made.announcement.id)
        found.equal(read.details.petNameGiven ? read.petName : nil, said.petName)
        found.equal(read.description, said.description)
        found.equal(read.details.texts[.reward], said.texts[.reward])
        found.equal(read.details.texts[.near], said.texts[.near])
        found.equal(read.details.age, said.age)
        found.equal(read.location?.latitude, said.location?.latitude)
        found.equal(read.location?.longitude, said.location?.longitude)
        found.equal(read.details.dateOfDisappearance, said.dateOfDisappearance)
        found.equal(read.contactName, said.ownerName)
      }
    },
    Self("A repeat is one announcement with the first password, whoever repeats it") {
      place, found in
      let key = UUID()
      let first = try await place.open().create(
        report(), idempotencyKey: key, managementPassword: "first")
      let same = try await place.open().create(
        report(), idempotencyKey: key, managementPassword: "first")
      found.equal(same, first)
      let other = try await place.open().create(
        report(), idempotencyKey: key, managementPassword: "second")
      found.equal(other.announcement, first.announcement)
      found.equal(other.managementPassword, nil)
      let id = first.announcement.id
      await found.refuses(.wrongPassword) {
        try await place.open().authorize(id: id, managementPassword: "second", client: nil)
      }
      try await place.open().authorize(id: id, managementPassword: "first", client: nil)
    },
    Self("Another report under a known key is refused and makes nothing") { place, found in
      let (store, key, here) = (try place.open(), UUID(), try point(52.2297, 21.0122))
      let first = try await store.create(
        report(at: here), idempotencyKey: key, managementPassword: "p")
      var mailed = report(at: here)
      mailed.email = "ola@example.org"
      for other in [
        report("Rex", at: here), report(at: try point(52.2297, 21.0123)), report(), mailed,
      ] {
        await found.refuses(.idempotencyMismatch) {
          try await place.open().create(other, idempotencyKey: key, managementPassword: "p")
        }
      }
      found.equal(try await store.ids(beginning: "", limit: 9), [first.announcement.id])
      found.equal(
        try await store.announcement(id: first.announcement.id), first.announcement)
    },
    Self("A client repeats its create for a day; another one, and a later one, is refused") {
      place, found in
      let (home, browser) = ("192.0.2.1", "web-1")
      func create(
        _ key: UUID, _ network: String, _ browser: String? = nil, _ name: String = "Max"
      ) async throws -> CreatedAnnouncement {
        try await place.open().create(
          report(name), idempotencyKey: key, managementPassword: "p",
          client: AnnouncementClient(network: network, browser: browser))
      }
      let (program, page) = (UUID(), UUID())
      let first = try await create(program, home)
      found.equal(try await create(program, home), first)
      found.equal(try await create(program, home, browser), first)
      let shown = try await create(page, home, browser)
      found.equal(try await create(page, "198.51.100.7", browser), shown)
      found.equal(try await create(page, home), shown)
      for (key, network, other) in [
        (program, "198.51.100.7", nil), (program, "198.51.100.7", browser),
        (page, "198.51.100.7", nil), (page, home, "web-2"),
      ] {
        await found.refuses(.keyTaken) { try await create(key, network, other) }
        await found.refuses(.idempotencyMismatch) { try await create(key, network, other, "Rex") }
      }
      place.wait(24 * 3600)
      found.equal(try await create(program, home), first)
      place.wait(1)
      await found.refuses(.keyTaken) { try await create(program, home) }
      await found.refuses(.keyTaken) { try await create(page, home, browser) }
      await found.refuses(.idempotencyMismatch) { try await create(page, home, browser, "Rex") }
      // A secret key, such as a draft's, belongs to no client, and may be repeated later, too.
      let own = UUID()
      let made = try await place.open().create(
        report(), idempotencyKey: own, managementPassword: "p")
      place.wait(48 * 3600)
      found.equal(
        try await place.open().create(report(), idempotencyKey: own, managementPassword: "p"), made)
      found.equal(try await place.open().ids(beginning: "", limit: 9).count, 3)
    },
    Self("Of the clients that create under one key at once exactly one makes it") { place, found in
      let (stores, key) = (try (0..<4).map { _ in try place.open() }, UUID())
      let made = await together(16) { number in
        try await stores[number % 4].create(
          report(), idempotencyKey: key, managementPassword: "p",
          client: AnnouncementClient(network: "\(number)", browser: nil))
      }
      found.equal(made.count { (try? $0.get()) != nil }, 1)
      for case .failure(let error) in made {
        found.equal(error as? AnnouncementError, .keyTaken)
      }
    },
    Self("A report that breaks rules is refused with all its fields and makes nothing") {
      place, found in
      var bad = report(String(repeating: "x", count: 101))
      bad.ownerPhone = "1"
      bad.description = "a\0b"
      bad.dateOfDisappearance = CalendarDay(moment(3 * 86_400), in: .gmt)
      let fields = ["ownerPhone", "dateOfDisappearance", "description", "petName"]
      await found.refuses(.invalid(fields)) {
        try await place.open().create(bad, idempotencyKey: UUID(), managementPassword: "p")
      }
      found.equal(try await place.open().ids(beginning: "", limit: 9), [])
    },
    Self("Sixteen repeats at once make one announcement with one password") { place, found in
      let stores = try (0..<4).map { _ in try place.open() }
      for _ in 0..<3 {
        let key = UUID()
        let made = try await together(16) { number in
          try await stores[number % 4].create(
            report(), idempotencyKey: key, managementPassword: "p\(number)")
        }.map { try $0.get() }
        found.equal(Set(made.map(\.announcement.id)).count, 1)
        let passwords = made.compactMap(\.managementPassword)
        found.equal(passwords.count, 1)
        try await stores[0].authorize(
          id: made[0].announcement.id, managementPassword: passwords.first ?? "", client: nil)
      }
      found.equal(try await stores[0].ids(beginning: "", limit: 9).count, 3)
    },
    Self("Of sixteen different reports that race for one key exactly one is made") {
      place, found in
      let (stores, key) = (try (0..<4).map { _ in try place.open() }, UUID())
      let made = await together(16) { number in
        try await stores[number % 4].create(
          report("\(number)"), idempotencyKey: key, managementPassword: "p")
      }
      var names: [String] = []
      for one in made {
        switch one {
        case .success(let made): names.append(made.announcement.petName)
        case .failure(let error):
          found.equal(error as? AnnouncementError, .idempotencyMismatch)
        }
      }
      found.equal(names.count, 1)
      let ids = try await stores[0].ids(beginning: "", limit: 9)
      found.equal(ids.count, 1)
      found.equal(try await stores[0].announcement(id: ids.first ?? "").petName, names.first)
    },
    Self("What has no photo yet can be taken back, and its key is free again") { place, found in
      let (store, key) = (try place.open(), UUID())
      found.equal(try await store.withdraw(idempotencyKey: key, credentials: nil), nil)
      let half = try await store.create(report(), idempotencyKey: key, managementPassword: "p")
      found.equal(try await place.open().withdraw(idempotencyKey: key, credentials: nil), nil)
      await found.refuses(.notFound(id: half.announcement.id)) {
        try await store.announcement(id: half.announcement.id)
      }
      let next = try await store.create(
        report("Rex"), idempotencyKey: key, managementPassword: "q")
      found.expect(next.announcement.id != half.announcement.id)
      let shown = try await store.attachPhoto(
        try await place.photo(), to: next.announcement.id, managementPassword: "q", client: nil)
      found.equal(try await store.withdraw(idempotencyKey: key, credentials: nil), shown)
      found.equal(try await store.announcement(id: shown.id), shown)
    },
    Self("The password of a key is one, and that of another key is another") { place, found in
      let (store, key) = (try place.open(), "a key of the tests")
      let password = try await store.managementPassword(idempotencyKey: key)
      found.expect(password.wholeMatch(of: /([2-9A-HJKMNP-Z]{4}-){3}[2-9A-HJKMNP-Z]{4}/) != nil)
      found.equal(try await place.open().managementPassword(idempotencyKey: key), password)
      found.expect(try await store.managementPassword(idempotencyKey: key + ".") != password)
    },
  ]

  static let chips = [
    Self("A chip is announced once at a time, and free again once that is closed") {
      place, found in
      let (store, chip) = (try place.open(), "123456789012345")
      // Without a photo, an announcement isn't published yet and doesn't reserve its chip.
      let (key, photo) = (UUID(), try await place.photo())
      let early = try await store.create(
        report("early", chip: chip), idempotencyKey: key, managementPassword: "p")
      let first = try await place.publish(report("first", chip: chip))
      await found.refuses(.duplicateMicrochip) {
        try await place.open().create(
          report(chip: chip), idempotencyKey: UUID(), managementPassword: "p")
      }
      await found.refuses(.duplicateMicrochip) {
        try await store.attachPhoto(
          photo, to: early.announcement.id, managementPassword: "p", client: nil)
      }
      // A repeat creates no second announcement, and another chip belongs to another pet.
      let again = try await store.create(
        report("early", chip: chip), idempotencyKey: key, managementPassword: "p")
      found.equal(again.announcement.id, early.announcement.id)
      try await place.publish(report(chip: "12345678901234"))
      _ = try await store.close(id: first.id, managementPassword: "p", client: nil)
      _ = try await store.attachPhoto(
        photo, to: early.announcement.id, managementPassword: "p", client: nil)
    },
    Self("Refused chips are tries of their client, so that numbers cannot be asked for") {
      place, found in
      let (chip, other) = ("123456789012345", "543210987654321")
      try await place.publish(report(chip: chip))
      @Sendable func announce(_ chip: String?, _ client: String = "me") async throws {
        _ = try await place.open().chargingCreations(to: client).create(
          report(chip: chip), idempotencyKey: UUID(), managementPassword: "p")
      }
      for _ in 0..<5 {
        await found.refuses(.duplicateMicrochip) { try await announce(chip) }
        // Only refused attempts count.
        try await announce(nil)
      }
      let until = place.now.addingTimeInterval(12)
      for chip in [chip, other] {
        await found.refuses(.throttled(until: until)) { try await announce(chip) }
      }
      try await announce(nil)
      try await announce(other, "another")
      place.wait(12)
      try await announce(other)
      await found.refuses(.duplicateMicrochip) { try await announce(chip) }
      await found.refuses(.throttled(until: place.now.addingTimeInterval(12))) {
        try await announce(chip)
      }
      place.wait(60)
      let tries = await together(12) { _ in try await announce(chip) }
      found.equal(
        tries.count {
          guard case .failure(let error) = $0 else { return false }
          return error as? AnnouncementError == .duplicateMicrochip
        }, 5)
    },
    Self("Of eight that announce one chip at once exactly one is listed") { place, found in
      let stores = try (0..<4).map { _ in try place.open() }
      let photo = try await place.photo()
      for round in 0..<3 {
        let made = try await together(8) { number in
          try await stores[number % 4].create(
            report(chip: "\(100 + round)"), idempotencyKey: UUID(), managementPassword: "p")
        }.map { try $0.get().announcement.id }
        let shown = await together(8) { number in
          try await stores[number % 4].attachPhoto(
            photo, to: made[number], managementPassword: "p", client: nil)
        }
        for one in shown {
          guard case .failure(let error) = one else { continue }
          found.equal(error as? AnnouncementError, .duplicateMicrochip)
        }
        let listed = try await stores[0].announcements(matching: .defaultQuery(location: nil))
        found.equal(listed.count { made.contains($0.id) }, 1)
      }
    },
  ]
}
