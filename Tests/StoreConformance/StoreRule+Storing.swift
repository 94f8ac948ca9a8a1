import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import TestPictures

extension StoreRule {
  static let storing = [
    Self("A picture that was put is there, whole, for everybody who opens the place") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      for format in ImageFormat.allCases where format.isStored {
        for kind in BlobPath.Kind.allCases {
          var picture = EncodedPicture.png(1)
          picture.format = format
          let spot = Stores.place(kind, picture)
          found.expect(try other.storage.facts(spot) == nil, "there before")
          found.fails("reading what is not there", with: .missingPhoto) {
            try other.storage.readPicture(spot)
          }
          found.equal(try other.storage.absence(of: spot), .missingPhoto, "absence")
          let began = Int(Date().timeIntervalSince1970)
          let stored = try stores.storage.put(picture, kind: kind)
          found.equal(stored, StoredPicture(picture, at: spot), "facts")
          found.equal(try other.storage.readPicture(spot), picture.bytes, "bytes")
          found.equal(
            try other.storage.body(spot, inPieces: true).readBytes(5..<9),
            Array(picture.bytes[5..<9]), "some bytes")
          let facts = try other.storage.facts(spot)
          found.equal(facts?.sizeBytes, picture.bytes.count, "size")
          found.expect(abs((facts?.modified ?? 0) - began) < 60, "age")
          found.expect(
            try other.storage.holds(RecordedPicture(spot, sizeBytes: stored.sizeBytes)), "size")
          found.expect(try !other.storage.holds(RecordedPicture(spot, sizeBytes: 1)), "wrong size")
          found.equal(
            stores.storage.url(of: spot).lastPathComponent, spot.name, "where it lies")
        }
      }
      found.fails("a digest that is none") {
        var picture = EncodedPicture.png(1)
        picture.sha256 = "../../etc/passwd"
        return try stores.storage.put(picture, kind: .blob)
      }
      found.fails("a format that is not stored") {
        var picture = EncodedPicture.png(1)
        picture.format = .heic
        return try stores.storage.stage(picture, kind: .blob)
      }
      found.equal(try place.staged(), 0, "staged pictures that are left")
      found.equal(try other.listed().count, 12, "pictures")
    },
    Self("A body gives any part of a picture, also when that is deleted meanwhile") {
      place, found in
      let stores = try place.open()
      let picture = EncodedPicture.png(1)
      let spot = Stores.place(.blob, picture)
      found.fails("the body of what is not there", with: .missingPhoto) {
        try stores.storage.body(spot, inPieces: false)
      }
      _ = try stores.storage.put(picture, kind: .blob)
      let body = try stores.storage.body(spot, inPieces: false)
      _ = try stores.storage.remove(spot)
      let count = picture.bytes.count
      found.equal(body.count, count, "size")
      for part in [0..<count, 3..<5, count - 1..<count, 7..<7] {
        found.equal(try body.readBytes(part), Array(picture.bytes[part]), "\(part)")
      }
    },
    Self("Pictures are listed by their parts, each once and under its kind") { place, found in
      let (stores, other) = (try place.open(), try place.open())
      for kind in BlobPath.Kind.allCases {
        for shard in StoreShard.whole.prefixes {
          found.equal(try stores.storage.list(.shard(kind, shard)), [], "an empty place")
        }
      }
      var places: [BlobPath] = []
      for number in 0..<40 {
        let kind = BlobPath.Kind.allCases[number % 3 == 0 ? 1 : 0]
        _ = try stores.storage.put(.png(number), kind: kind)
        places.append(Stores.place(kind, .png(number)))
      }
      // Equal bytes are stored with both kinds.
      _ = try stores.storage.put(.png(0), kind: .blob)
      places.append(Stores.blob(0))
      _ = try stores.storage.stage(.png(100), kind: .blob)
      for kind in BlobPath.Kind.allCases {
        let listed = try StoreShard.whole.prefixes.flatMap {
          try other.storage.list(.shard(kind, $0))
        }
        found.equal(Set(listed).count, listed.count, "pictures told once")
        found.equal(Set(listed), Set(places.filter { $0.kind == kind }), "pictures")
      }
    },
    Self("A picture is deleted once, and deleting what is gone is success") { place, found in
      let (stores, other) = (try place.open(), try place.open())
      try stores.put(1)
      let size = EncodedPicture.png(1).bytes.count
      found.equal(try other.storage.remove(Stores.blob(1)), size, "bytes that were freed")
      found.equal(try stores.storage.remove(Stores.blob(1)), nil, "bytes of what is gone")
      found.equal(try stores.storage.remove(Stores.blob(99)), nil, "bytes of what never was")
      found.expect(try stores.storage.facts(Stores.blob(1)) == nil, "still there")
      found.equal(try stores.listed(), [Stores.preview(1)], "pictures")
      try stores.put(1)
      found.expect(other.storage.isIntact(Stores.blob(1)), "not whole when put again")
    },
    Self("Other bytes under a picture's name are damage, which a put and a naming replace") {
      place, found in
      let stores = try place.open()
      let spot = Stores.blob(1)
      for damaged in [[UInt8](), [1, 2, 3], Array(EncodedPicture.png(1).bytes.dropLast())] {
        for isStaged in [false, true] {
          try stores.put(1)
          try place.damage(spot, damaged)
          found.equal(try stores.storage.readPicture(spot), damaged, "damaged bytes")
          found.expect(!stores.storage.isIntact(spot), "damage is whole")
          if isStaged {
            let staged = try stores.storage.stage(.png(1), kind: .blob)
            try stores.storage.sync([staged])
            try stores.storage.name([staged])
          } else {
            try stores.put(1)
          }
          found.expect(stores.storage.isIntact(spot), "not whole, staged \(isStaged)")
        }
      }
      found.equal(try place.staged(), 0, "staged pictures that are left")
    },
    Self("A staged picture has no name until it is given one, and keeps it when discarded") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      let storage = stores.storage
      let pictures = [EncodedPicture.png(1), .png(2), .png(3), .png(1)]
      let staged = try pictures.map { try storage.stage($0, kind: .blob) }
      for (staged, picture) in zip(staged, pictures) {
        found.equal(staged.place, Stores.place(.blob, picture), "place")
        found.equal(staged.picture, StoredPicture(picture, at: staged.place), "facts")
        found.equal(try staged.body.all(), picture.bytes, "bytes")
      }
      found.equal(try place.staged(), 4, "staged pictures")
      found.equal(try other.listed(), [], "pictures before the names")
      // Pictures that a living process staged don't count as unfinished.
      let removed = try other.storage.removeUnfinished(dryRun: false) { _ in true }
      found.equal(removed.files, 0, "unfinished files")
      try storage.sync(staged)
      storage.discard(staged[2])
      try storage.name([staged[0], staged[1], staged[3]])
      for staged in staged { storage.discard(staged) }
      found.equal(try other.listed(), [staged[0].place, staged[1].place], "pictures")
      for number in [1, 2] {
        found.expect(other.storage.isIntact(Stores.blob(number)), "\(number) is not whole")
      }
      found.equal(try place.staged(), 0, "staged pictures that are left")
      try storage.sync([])
      try storage.name([])
      found.fails("naming what was discarded") { try storage.name([staged[2]]) }
      found.expect(try other.storage.facts(staged[2].place) == nil, "named what was discarded")
    },
  ]

  static let puttingAside = [
    Self("A damaged picture is put aside whole, and another takes its name") { place, found in
      let (stores, other) = (try place.open(), try place.open())
      let spot = Stores.blob(1)
      for round in 1...3 {
        try stores.put(1)
        let damaged = Array("damage \(round)".utf8)
        try place.damage(spot, damaged)
        let identity = try found.present(
          stores.storage.findBlob(at: spot, quickly: false), "what was found"
        ).identity
        let digest = sha256(of: damaged)
        let path = try stores.catalog.lock(dryRun: false) { _ in
          try stores.storage.quarantine(
            spot, identity, problem: .digest, holds: round == 3 ? nil : digest)
        }
        found.expect(try stores.storage.facts(spot) == nil, "still served")
        let aside = try other.storage.list(.quarantine)
        found.equal(aside.count, round, "files put aside")
        let file = try found.present(aside.first { $0.relativePath == path }, "the file put aside")
        found.expect(file.origin == spot && file != spot, "origin")
        found.equal(file.holds, round == 3 ? "unread" : digest, "what it holds")
        found.equal(try other.storage.readPicture(file), damaged, "its bytes")
      }
      try stores.put(1)
      found.expect(stores.storage.isIntact(spot), "not whole when put again")
    },
    Self("A picture that took the place of the one looked at stays") { place, found in
      let stores = try place.open()
      let spot = Stores.blob(1)
      found.expect(try stores.storage.findBlob(at: spot, quickly: false) == nil, "found nothing")
      try stores.put(1)
      let first = try found.present(
        stores.storage.findBlob(at: spot, quickly: false), "what was found"
      ).identity
      found.equal(
        try stores.storage.findBlob(at: spot, quickly: false)?.identity, first, "identity twice")
      try place.damage(spot, [1])
      let damaged = try found.present(
        stores.storage.findBlob(at: spot, quickly: false), "what was found"
      ).identity
      found.expect(damaged != first, "another picture has the same identity")
      try stores.put(1)
      found.equal(
        try stores.storage.quarantine(spot, damaged, problem: .digest, holds: nil), nil, "path")
      found.expect(stores.storage.isIntact(spot), "the new picture is gone")
      found.equal(try stores.storage.list(.quarantine).count, 0, "files put aside")
      _ = try stores.storage.remove(spot)
      found.equal(
        try stores.storage.quarantine(spot, damaged, problem: .digest, holds: nil), nil,
        "path of nothing")
    },
  ]
}

extension Findings {
  /// Returns a value that has to exist.
  func present<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw Missing(what: what) }
    return value
  }
}
