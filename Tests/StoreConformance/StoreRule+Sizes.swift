import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import TestPictures

extension Stores {
  /// Stores picture `number` as a size of a photo. The picture gets its name while the photo is locked.
  @discardableResult
  func keepSize(
    _ number: Int, _ maxSide: Int, of photo: SealedRecord, blob: String? = nil,
    at seconds: TimeInterval = 0, meanwhile: () -> Void = {}
  ) throws -> Bool {
    let staged = try storage.stage(.png(number), kind: .size, unlessStored: true)
    try storage.sync([staged])
    let size = RecordedPicture(staged.place, sizeBytes: EncodedPicture.png(number).bytes.count)
    let isKept = try catalog.record(
      size, .init(maxSide: maxSide, format: .png), of: photo.uuid,
      blob: blob ?? photo.text("blobSHA256") ?? "", at: moment(seconds)
    ) {
      meanwhile()
      try storage.name([staged])
      return try storage.holds(size)
    }
    if !isKept { storage.discard(staged) }
    return isKept
  }

  func size(_ maxSide: Int, of photo: SealedRecord) throws -> StoredSize? {
    try catalog.size(.init(maxSide: maxSide, format: .png), of: photo.uuid)
  }

  static func size(_ number: Int) -> BlobPath { place(.size, .png(number)) }
}

extension StoreRule {
  static let sizes = [
    Self("A size is on record with its photo, is referred to, and goes with the photo") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      let photo = try stores.attach(1, to: "a")
      found.expect(try stores.size(320, of: photo) == nil, "a size that was never made")
      found.expect(try stores.keepSize(7, 320, of: photo), "not recorded")
      found.expect(try stores.keepSize(8, 640, of: photo), "not recorded")
      let known = try other.size(320, of: photo)
      found.equal(known?.picture.place, Stores.size(7), "where it lies")
      found.equal(known?.picture.sizeBytes, EncodedPicture.png(7).bytes.count, "its bytes")
      found.expect(known?.isStored == true, "not there by its record")
      found.expect(stores.storage.isIntact(Stores.size(7)), "not stored")
      found.equal(
        try stores.catalog.selectUnreferenced([Stores.size(7), Stores.size(9)]), [Stores.size(9)],
        "sizes that are not referred to")
      found.equal(try other.giveUp([Stores.size(7), Stores.size(8)]).files, 0, "deleted")
      // After the size was made again with other bytes, the first bytes are unused.
      found.expect(try other.keepSize(9, 320, of: photo), "not recorded again")
      found.equal(try stores.giveUp([Stores.size(7), Stores.size(9)]).files, 1, "deleted")
      let applied = try other.catalog.handle(.remove, draft: "a", at: moment(1))
      try other.giveUp(applied.gone)
      found.equal(try stores.listed(), [], "pictures after the photo")
      found.expect(try stores.size(320, of: photo) == nil, "a size of no photo")
    },
    Self("A size of a photo that is gone, or of another blob, is not recorded nor named") {
      place, found in
      let stores = try place.open()
      let photo = try stores.attach(1, to: "a")
      found.expect(
        try !stores.keepSize(7, 320, of: photo, blob: Stores.blob(2).sha256) {
          found.add("named for another blob")
        }, "recorded for another blob")
      found.expect(try stores.keepSize(7, 320, of: photo), "not recorded")
      // The photo has another blob now, so a size made from the first one doesn't belong to it.
      let now = try stores.catalog.photo(id: photo.id) ?? photo
      try stores.put(2)
      found.expect(
        try stores.catalog.replace(
          now, by: now.showing(Stores.pictures(2)).sealedAnew, showing: nil
        ) { true }, "not replaced")
      found.expect(try stores.size(320, of: photo) == nil, "the size of another blob")
      let gone = try Stores.sample(3)
      found.expect(
        try !stores.keepSize(7, 320, of: gone) { found.add("named for no photo") },
        "recorded for no photo")
      found.equal(try place.staged(), 0, "staged pictures")
    },
    Self("A size that gets its name while its photo goes does not outlive it") { place, found in
      let (stores, other) = (try place.open(), try place.open())
      for round in 0..<6 where found.all.isEmpty {
        let photo = try stores.attach(1, to: "a")
        let (isNaming, isOver) = (Flag(), Flag())
        let rival = StartedThread {
          if round % 2 == 0 { isNaming.wait(milliseconds: 5000) }
          let applied = try other.catalog.handle(.remove, draft: "a", at: moment(1))
          try other.giveUp(applied.gone)
          isOver.set()
        }
        try stores.keepSize(7, 320, of: photo) {
          isNaming.set()
          isOver.wait(milliseconds: 30)
        }
        try rival.wait()
        found.equal(try stores.listed(), [], "pictures after the photo")
        found.equal(try place.staged(), 0, "staged pictures")
      }
    },
    Self("Sizes that were not used for longest go first, and their digests stay on record") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      let photo = try stores.attach(1, to: "a")
      for (index, maxSide) in [320, 640, 960].enumerated() {
        try stores.keepSize(7 + index, maxSide, of: photo, at: Double(index))
      }
      let bytes = EncodedPicture.png(7).bytes.count
      try other.catalog.touch(.init(maxSide: 320, format: .png), of: photo.uuid, at: moment(9))
      found.equal(try stores.catalog.trimSizes(to: 3 * bytes, dryRun: false), [], "gone within")
      found.equal(
        Set(try other.catalog.trimSizes(to: 2 * bytes - 1, dryRun: true)),
        [Stores.size(8), Stores.size(9)], "told by a dry run")
      found.expect(try stores.size(640, of: photo)?.isStored == true, "a dry run gave it up")
      found.equal(
        try other.catalog.trimSizes(to: 2 * bytes, dryRun: false), [Stores.size(8)], "gone")
      found.equal(try stores.giveUp([7, 8, 9].map(Stores.size)).files, 1, "deleted")
      let trimmed = try stores.size(640, of: photo)
      found.equal(trimmed?.picture.place, Stores.size(8), "the digest of what was given up")
      found.expect(trimmed?.isStored == false, "given up, and there by its record")
      found.expect(try stores.keepSize(8, 640, of: photo), "not made again")
      found.expect(try other.size(640, of: photo)?.isStored == true, "not there again")
    },
  ]
}
