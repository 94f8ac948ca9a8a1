import Announcements
import Foundation
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
      try await photos.clear(draft: "album")
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
      try await photos.clear(draft: "album")
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
    Self("A draft that held a photo for its announcement ends as soon as that has it") {
      place, found in
      let (store, photos) = (try place.open(), try place.ways.photos())
      let kept = try await photos.keep(draft: "held") { () throws(PhotoError) in
        try PhotoPipeline(decoders: nil).prepare(
          .file(path: TestImage.folder.appending(path: "one-pixel.gif").path))
      }
      let photo = AnnouncementPhoto(
        id: kept.id, file: kept.cachedURL, sha256: kept.blob.sha256, uti: kept.uti,
        holder: "held")
      let made = try await store.create(
        report(), idempotencyKey: UUID(), managementPassword: "p")
      await found.refuses(.wrongPassword) {
        try await store.attachPhoto(
          photo, to: made.announcement.id, managementPassword: "q", client: "me")
      }
      found.equal(try await photos.load(draft: "held")?.id, kept.id)
      let shown = try await store.attachPhoto(
        photo, to: made.announcement.id, managementPassword: "p", client: nil)
      found.equal(shown.details.photoID, kept.id)
      found.expect(try photos.catalog.attachment(draft: "held") == nil)
      found.expect(try await !photos.bytes(of: kept.photo.blob).isEmpty)
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
