import Announcements
import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import TestPictures

extension AnnouncementRule {
  static let photos = [
    Self("A photo that is not there is refused and changes nothing") { place, found in
      let made = try await place.publish(report())
      let shown = try await place.photo()
      for (id, digest) in [
        (UUID(), shown.sha256), (shown.id, String(repeating: "0", count: 64)),
      ] {
        let other = AnnouncementPhoto(id: id, file: shown.file, sha256: digest, uti: shown.uti)
        let half = try await place.open().create(
          report(), idempotencyKey: UUID(), managementPassword: "p")
        await found.refuses(.missingPhoto) {
          try await place.open().attachPhoto(
            other, to: half.announcement.id, managementPassword: "p", client: nil)
        }
      }
      found.equal(
        try await place.open().announcements(matching: .defaultQuery(location: nil)), [made])
    },
    Self("A photo stays as long as an announcement or a draft shows it, and goes with the last") {
      place, found in
      let (store, photos) = (try place.open(), try place.ways.photos())
      let photo = try await place.photo()
      func isThere() throws -> Bool {
        let isRecorded = try photos.catalog.photo(id: photo.id.uuidString) != nil
        found.equal(FileManager.default.fileExists(atPath: photo.file.path), isRecorded)
        return isRecorded
      }
      let (one, other) = (try await place.publish(report()), try await place.publish(report()))
      try await photos.remove(draft: "album")
      found.expect(try isThere())
      try await store.erase(id: one.id, managementPassword: "p", client: nil)
      found.expect(try isThere())
      _ = try await store.close(id: other.id, managementPassword: "p", client: nil)
      found.expect(try isThere())
      try await store.erase(id: other.id, managementPassword: "p", client: nil)
      found.expect(try !isThere())
    },
    Self("Another photo takes the place of the one before, which goes") { place, found in
      let (store, photos) = (try place.open(), try place.ways.photos())
      let made = try await place.publish(report())
      let first = try await place.photo()
      try await photos.remove(draft: "album")
      let second = try await place.photo("other", of: "orientation-6.jpg")
      for _ in 0..<2 {
        let shown = try await place.open().attachPhoto(
          second, to: made.id, managementPassword: "p", client: nil)
        found.equal(shown.details.photoID, second.id)
        found.equal(shown.details.photoSHA256, second.sha256)
      }
      found.expect(try photos.catalog.photo(id: first.id.uuidString) == nil)
      found.expect(!FileManager.default.fileExists(atPath: first.file.path))
      found.expect(try await !store.shows(photo: first.id))
      found.expect(try await store.shows(photo: second.id))
    },
    Self("A photo comes on record with the announcement that shows it, and no draft holds it") {
      place, found in
      let (store, photos) = (try place.open(), try place.ways.photos())
      let made = try await store.create(
        report(), idempotencyKey: UUID(), managementPassword: "p")
      let id = made.announcement.id
      await found.refuses(.wrongPassword) {
        try await store.attachPhoto(.sample(1), to: id, managementPassword: "q")
      }
      try await store.hide(id: id, reason: "Not of this world")
      await found.refuses(.takenDown(id: id, reason: "Not of this world")) {
        try await store.attachPhoto(.sample(1), to: id, managementPassword: "p")
      }
      try await store.unhide(id: id)
      try await place.keeps([], found)
      place.wait(60)
      for number in 1...3 {
        let shown = try await store.attachPhoto(.sample(number), to: id, managementPassword: "p")
        let record = try await photos.photo(id: shown.details.photoID ?? UUID())
        found.equal(record?.blob.sha256, PreparedPhoto.sample(number).blob.sha256)
        found.equal(shown.details.photoSHA256, record?.blob.sha256)
        found.equal(shown.updatedAt, place.now)
        found.equal(
          try await store.announcements(matching: .defaultQuery(location: nil)), [shown])
        // The previous photo is gone, and so are its pictures.
        try await place.keeps([number], found)
      }
      _ = try await store.close(id: id, managementPassword: "p", client: nil)
      await found.refuses(.closed(id: id)) {
        try await store.attachPhoto(.sample(4), to: id, managementPassword: "p")
      }
      try await place.keeps([3], found)
      try await store.erase(id: id, managementPassword: "p", client: nil)
      try await place.keeps([], found)
    },
    Self("A client adds its share of pictures in 30 days, and others add theirs") { place, found in
      let sizes = (1...4).map {
        PreparedPhoto.sample($0).blob.bytes.count + PreparedPhoto.sample($0).preview.bytes.count
      }
      func store(_ client: String = "192.0.2.1") throws -> AnnouncementStore {
        try place.open().chargingCreations(to: client, photoBytes: sizes[0] + sizes[1])
      }
      let day: TimeInterval = 86_400
      place.wait(day - place.now.timeIntervalSince1970.truncatingRemainder(dividingBy: day))
      let begin = place.now
      let used = AnnouncementError.spaceUsedUp(until: begin + 30 * day)
      let id = try await place.open().create(
        report(), idempotencyKey: UUID(), managementPassword: "p"
      ).announcement.id
      func attach(_ number: Int, _ store: AnnouncementStore) async throws {
        _ = try await store.attachPhoto(.sample(number), to: id, managementPassword: "p")
      }
      try await attach(1, store())
      place.wait(day)
      try await attach(2, store())
      await found.refuses(used) { try await store().checkPhotoShare() }
      await found.refuses(used) { try await attach(3, store()) }
      try await place.keeps([2], found)
      let album = try await place.photo()
      // The photo is larger than the whole share.
      await found.refuses(AnnouncementError.spaceUsedUp(until: begin + 31 * day)) {
        _ = try await store().attachPhoto(album, to: id, managementPassword: "p", client: nil)
      }
      await found.refuses(used) {
        _ = try await store().create(
          report(), photo: .sample(3), idempotencyKey: UUID(), managementPassword: "p",
          client: nil)
      }
      // The refused call made no announcement, and other clients are not affected.
      found.equal(
        try await place.open().announcements(matching: .defaultQuery(location: nil)).map(\.id), [id]
      )
      try await attach(3, store("192.0.2.2"))
      try await attach(4, place.open())
      try await place.ways.photos().remove(draft: "album")
      // Only time frees a share; erasing doesn't.
      try await store().erase(id: id, managementPassword: "p", client: nil)
      await found.refuses(used) { try await store().checkPhotoShare() }
      place.wait(begin.addingTimeInterval(30 * day).timeIntervalSince(place.now))
      try await store().checkPhotoShare()
    },
    Self("A refused picture names the first day that has room for it") {
      place, found in
      func bytes(_ photo: PreparedPhoto) -> Int {
        photo.blob.bytes.count + photo.preview.bytes.count
      }
      var large = PreparedPhoto.sample(3)
      large.blob.bytes += [UInt8](repeating: 0, count: 40)
      large.blob.sha256 = sha256(of: large.blob.bytes)
      let share = bytes(.sample(1)) + bytes(.sample(2))
      let day: TimeInterval = 86_400
      place.wait(day - place.now.timeIntervalSince1970.truncatingRemainder(dividingBy: day))
      let begin = place.now
      let id = try await place.open().create(
        report(), idempotencyKey: UUID(), managementPassword: "p"
      ).announcement.id
      func attach(_ photo: PreparedPhoto, share: Int) async throws {
        let store = try place.open().chargingCreations(to: "192.0.2.1", photoBytes: share)
        _ = try await store.attachPhoto(photo, to: id, managementPassword: "p")
      }
      try await attach(.sample(1), share: share)
      place.wait(day)
      try await attach(.sample(2), share: share)
      // The bytes of the first day are not enough.
      await found.refuses(AnnouncementError.spaceUsedUp(until: begin + 31 * day)) {
        try await attach(large, share: share)
      }
      // Waiting doesn't help if the photo is larger than the whole share.
      await found.refuses(AnnouncementError.spaceUsedUp(until: begin + 31 * day)) {
        try await attach(large, share: bytes(large) - 1)
      }
      place.wait(30 * day)
      try await attach(large, share: share)
    },
    Self("An announcement is made with its photo, or not at all") { place, found in
      let (store, key, chip) = (try place.open(), UUID(), "123456789012345")
      let first = try await place.make(1, chip, key: key)
      found.equal(first.details.photoSHA256, PreparedPhoto.sample(1).blob.sha256)
      found.equal(try await store.announcements(matching: .defaultQuery(location: nil)), [first])
      // A repeat finds the announcement and keeps its photo.
      found.equal(try await place.make(2, chip, key: key), first)
      await found.refuses(.duplicateMicrochip) { try await place.make(2, chip) }
      try await place.keeps([1], found)
      // If the photo can't be recorded, the announcement isn't created either.
      try place.ways.change("CREATE UNIQUE INDEX one_photo_a_blob ON photo (\"blobSHA256\")")
      let late = UUID()
      let refused = await together(1) { _ in try await place.make(1, key: late) }
      if case .success = refused[0] { found.add("recorded twice") }
      found.equal(try await store.ids(beginning: "", limit: 9), [first.id])
      try place.ways.change("DROP INDEX one_photo_a_blob")
      let second = try await place.make(1, key: late)
      found.equal(Set(try await store.ids(beginning: "", limit: 9)), [first.id, second.id])
      try await place.keeps([1, 1], found)
      // If an announcement was created without a photo, a repeat adds it.
      let again = UUID()
      let half = try await store.create(
        report(), idempotencyKey: again, managementPassword: "p")
      found.equal(half.announcement.details.photoID, nil)
      let whole = try await place.make(3, key: again)
      found.equal(whole.id, half.announcement.id)
      found.equal(whole.details.photoSHA256, PreparedPhoto.sample(3).blob.sha256)
    },
    Self("Of announcements made at once with one key and a photo there is one with one photo") {
      place, found in
      let (stores, key) = (try (0..<4).map { _ in try place.open() }, UUID())
      let made = await together(4) { number in
        try await place.make(number, key: key, in: stores[number])
      }
      let all = try made.map { try $0.get() }
      found.equal(Set(all.map(\.id)).count, 1)
      found.equal(Set(all.map(\.details.photoID)).count, 1)
      let shown = (0..<4).filter {
        PreparedPhoto.sample($0).blob.sha256 == all[0].details.photoSHA256
      }
      try await place.keeps(shown, found)
    },
    Self("Photos sent at once to one announcement leave it with one of them, and nothing of others")
    {
      place, found in
      let made = try await place.make(9)
      let stores = try (0..<4).map { _ in try place.open() }
      for answer in await together(
        4,
        { number in
          try await stores[number].attachPhoto(
            .sample(number), to: made.id, managementPassword: "p")
        })
      { _ = try answer.get() }
      let shown = try await stores[0].announcement(id: made.id).details.photoSHA256
      try await place.keeps(
        (0..<4).filter { PreparedPhoto.sample($0).blob.sha256 == shown }, found)
    },
    Self("Photos that come at once for one announcement leave it with one of them") {
      place, found in
      let made = try await place.publish(report())
      let stores = try (0..<4).map { _ in try place.open() }
      let images = ["one-pixel.gif", "orientation-6.jpg", "gps-exif.jpg", "animated.gif"]
      var all: [AnnouncementPhoto] = []
      for (number, image) in images.enumerated() {
        all.append(try await place.photo(number == 0 ? "album" : image, of: image))
      }
      let sent = all
      for answer in await together(
        4,
        { number in
          try await stores[number].attachPhoto(
            sent[number], to: made.id, managementPassword: "p", client: nil)
        })
      { _ = try answer.get() }
      let shown = try await stores[0].announcement(id: made.id).details
      let kept = sent.filter { $0.id == shown.photoID }
      found.equal(kept.map(\.sha256), [shown.photoSHA256 ?? ""])
      for photo in sent {
        found.equal(try await stores[0].shows(photo: photo.id), photo.id == shown.photoID)
      }
    },
  ]
}

extension AnnouncementPlace {
  /// Creates an announcement with photo `number` and the password `p`.
  fileprivate func make(
    _ number: Int, _ chip: String? = nil, key: UUID = UUID(), in store: AnnouncementStore? = nil
  ) async throws -> Announcement {
    try await (store ?? open()).create(
      AnnouncementRule.report(chip: chip), photo: .sample(number), idempotencyKey: key,
      managementPassword: "p", client: nil
    ).announcement
  }

  /// Expects exactly the photos with these numbers on record, without other pictures or drafts.
  fileprivate func keeps(_ numbers: [Int], _ found: Findings, line: Int = #line) async throws {
    let photos = try ways.photos()
    let samples = numbers.map { PreparedPhoto.sample($0) }
    found.equal(
      try photos.catalog.page(after: 0, limit: 99, attachedOnly: false)
        .compactMap { $0.place(.blob)?.sha256 }.sorted(),
      samples.map(\.blob.sha256).sorted(), "photos", line: line)
    var pictures: Set<String> = []
    for kind in [BlobPath.Kind.blob, .preview] {
      for shard in StoreShard.whole.prefixes {
        pictures.formUnion(try photos.blobs.list(.shard(kind, shard)).map(\.sha256))
      }
    }
    found.equal(
      pictures, Set(samples.flatMap { [$0.blob.sha256, $0.preview.sha256] }), "pictures",
      line: line)
    found.equal(
      try photos.catalog.database.rows("SELECT draft FROM attachment").count, 0, "drafts",
      line: line)
  }
}
