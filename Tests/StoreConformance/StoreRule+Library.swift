import Foundation
import Glibc
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import SystemPackage

extension StoreRule {
  static let library = [
    Self("A file is known by path and identity, or by the identity of a photo's other path") {
      place, found in
      let stores = try place.open()
      let photo = try stores.join(1, path: "/z photo")
      var decision = GroupDecision()
      decision.sources = ["/a refused", "/zz refused"].map {
        SourceRecord(
          path: Array($0.utf8), identity: .sample(1), sha256: nil,
          knowledge: .refused(.photo(.unsupportedFormat(detected: "text/plain"))))
      }
      try stores.record(decision)
      func look(_ path: String, _ number: Int) throws -> SourceLookup? {
        try stores.catalog.lookups(of: [(Array(path.utf8), .sample(number))])[0]
      }
      let known = try look("/z photo", 1)
      found.equal(known?.isSamePath, true, "the same path")
      found.equal(known?.record.knowledge, .photo(photo.uuid, nil), "the photo")
      found.equal(
        known?.blob, RecordedPicture(Stores.blob(1), sizeBytes: photo.size(.blob) ?? 0), "its blob")
      found.equal(
        try look("/a refused", 1)?.record.knowledge, decision.sources[0].knowledge, "the refusal")
      found.equal(try look("/moved", 1)?.record.path, Array("/z photo".utf8), "another path")
      found.equal(try look("/moved", 1)?.isSamePath, false, "another path")
      found.expect(try look("/z photo", 2) == nil, "another file under the path is known")
      // A new record of a path replaces the previous one.
      decision.sources[0].identity = .sample(2)
      decision.sources[0].knowledge = .photo(photo.uuid, .bytes)
      decision.forgotten = [Array("/zz refused".utf8)]
      try stores.record(decision)
      found.equal(
        try look("/a refused", 2)?.record, decision.sources[0], "what was recorded anew")
      found.expect(
        try look("/zz refused", 1)?.isSamePath == false, "a path that was to be forgotten is known")
    },
    Self("Files are noted as they are, whatever bytes their paths have") { place, found in
      let stores = try place.open()
      let photo = try stores.join(1)
      let paths: [[UInt8]] = [[], [0], [47, 0xFF, 0xC3], Array("/ż'\"%".utf8), [47, 0xFF]]
      var decision = GroupDecision()
      for (number, path) in paths.enumerated() {
        let identity = FileIdentity(
          device: .min, inode: -1, size: number, modified: .max - Int64(number))
        let refusals: [ImportRefusal] = [
          .photo(.corrupt(what: "png-chunk-crc")), .notAFile(kind: "fifo"), .hidden,
          .photo(.tooManyPixels(.pixels, actual: 1 << 40, limit: 3)),
        ]
        decision.sources.append(
          SourceRecord(
            path: path, identity: identity, sha256: number == 0 ? nil : Stores.digest(number),
            knowledge: number < 4 ? .refused(refusals[number]) : .photo(photo.uuid, .pixels)))
      }
      try stores.record(decision)
      let lookups = try place.open().catalog.lookups(
        of: decision.sources.map { ($0.path, $0.identity) })
      found.equal(lookups.map { $0?.record }, decision.sources, "files")
      found.equal(lookups.map { $0?.isSamePath ?? false }, paths.map { _ in true }, "same paths")
    },
    Self("A digest is known by the library's photo first, then by any file that has it") {
      place, found in
      let stores = try place.open()
      var decision = GroupDecision()
      decision.sources = [
        SourceRecord(
          path: [1], identity: .sample(1), sha256: Stores.digest(1),
          knowledge: .refused(.photo(.empty)))
      ]
      try stores.record(decision)
      let refused = try stores.catalog.known(sha256: Stores.digest(1))
      found.equal(refused, KnownSource(.refused(.photo(.empty)), blob: nil), "a refusal")
      // An attached photo isn't part of the library.
      try stores.attach(1, to: "a")
      found.equal(try stores.catalog.known(sha256: Stores.digest(1)), refused, "still a refusal")
      let photo = try stores.join(1)
      let later = try stores.join(2, photo: try Stores.sample(2, source: 1))
      let known = try stores.catalog.known(sha256: Stores.digest(1))
      found.equal(known?.knowledge, .photo(photo.uuid, nil), "the oldest photo")
      found.equal(known?.blob?.place, Stores.blob(1), "its blob")
      _ = try stores.catalog.forget(asset: photo.uuid)
      found.equal(
        try stores.catalog.known(sha256: Stores.digest(1))?.knowledge, .photo(later.uuid, nil),
        "the next one")
      found.expect(try stores.catalog.known(sha256: Stores.digest(7)) == nil, "nothing is known")
    },
    Self("Photos that may have the same pixels have one frame, the same size, and equal looks") {
      place, found in
      let stores = try place.open()
      let preview = Stores.pictures(1).preview
      func join(_ number: Int, hash: UInt64 = 5, _ change: (inout SealedRecord.Pictures) -> Void)
        throws -> SealedRecord
      {
        var pictures = Stores.pictures(number)
        pictures.preview = preview
        change(&pictures)
        try stores.put(1)
        let photo = try Stores.sample(number).showing(pictures).sealedAnew
        return try stores.join(number, hash: hash, photo: photo)
      }
      let form = PhotoForm(policy: PhotoPolicy(), libraries: ["libvips": "9"])
      let same = try join(2) { _ in }
      _ = try join(3) { $0.blob.pixelWidth = 2 }
      _ = try join(4) { $0.blob.pixelHeight = 2 }
      _ = try join(5) { $0.blob.frameCount = 2 }
      let otherPreview = Stores.pictures(6).preview
      let form6 = try join(6) {
        $0.preview = otherPreview
        $0.form = form
      }
      _ = try join(7, hash: 6) {
        $0.preview = otherPreview
        $0.form = form
      }
      _ = try join(8) { $0.preview = otherPreview }
      try stores.attach(9, to: "a")
      let candidates = try stores.catalog.candidates(
        for: [(Stores.pictures(2), 9), (Stores.pictures(1), 5), (Stores.pictures(2), 9)])
      found.equal(
        candidates, [[], [same, form6], []], "candidates, and those that only itself is like")
    },
    Self("Sizes that files on record have are known") { place, found in
      let stores = try place.open()
      let photo = try stores.join(1)
      var decision = GroupDecision()
      decision.sources = [
        SourceRecord(
          path: Array("/refused".utf8),
          identity: FileIdentity(device: 1, inode: 2, size: 77, modified: 3),
          sha256: Stores.digest(7), knowledge: .refused(.photo(.empty)))
      ]
      try stores.record(decision)
      let sizes = [photo.number("fileSizeBytes") ?? 0, 77]
      let known = try stores.catalog.knownSizes(among: sizes + [1_000_003])
      found.expect(known.isSuperset(of: sizes), "sizes are \(known)")
    },
    Self("Ids are found by their beginning, in their order and no more of them than asked") {
      place, found in
      let stores = try place.open()
      let ids = try (0..<40).map { try stores.join($0).id }.sorted()
      let attached = try stores.attach(90, to: "a").id
      let all = (ids + [attached]).sorted()
      func look(_ text: String, _ limit: Int = 99) throws -> [String] {
        try stores.catalog.ids(beginning: text, limit: limit)
      }
      found.equal(try look(""), all, "all")
      found.equal(try look("", 3), Array(all.prefix(3)), "the first three")
      found.equal(try look("", 0), [], "none")
      for id in all {
        // Among forty IDs, some begin with the same letter.
        let first = String(id.prefix(1))
        found.equal(try look(first), all.filter { $0.hasPrefix(first) }, "one letter")
        found.equal(try look(String(id.prefix(9))).contains(id), true, "nine letters")
        found.equal(try look(id), [id], "the whole id")
        found.equal(try look(id + "0"), [], "more than the id")
      }
      for other in ["%", "_", "~", "x", all[0].lowercased() + "x"] {
        found.equal(try look(other), [], "the beginning of no id")
      }
    },
    Self("Similar photos come by their distance, the photo itself not among them") {
      place, found in
      let stores = try place.open()
      let hashes: [UInt64] = [0, 0b1, .max, 0b111, 0, 1 << 63, 0b11]
      let photos = try hashes.enumerated().map { try stores.join($0, hash: $1) }
      func similar(_ distance: Int, _ limit: Int) throws -> [Int] {
        try stores.catalog.similar(to: photos[0].uuid, distance: distance, limit: limit)
          .map(\.distance)
      }
      found.equal(try similar(64, 99), [0, 1, 1, 2, 3, 64], "all")
      found.equal(try similar(2, 99), [0, 1, 1, 2], "at most two bits")
      found.equal(try similar(0, 99), [0], "no bit")
      found.equal(try similar(64, 2), [0, 1], "the first two")
      found.equal(try similar(64, 0), [], "none")
      let near = try stores.catalog.similar(to: photos[0].uuid, distance: 1, limit: 9)
      found.equal(
        near.map(\.photo), [photos[4]] + [photos[1], photos[5]].sorted { $0.id < $1.id }, "photos")
      found.fails("what is not in the library", with: .missingPhoto) {
        try stores.catalog.similar(to: UUID(), distance: 1, limit: 1)
      }
      let attached = try stores.attach(9, to: "a")
      found.fails("what is only attached", with: .missingPhoto) {
        try stores.catalog.similar(to: attached.uuid, distance: 1, limit: 1)
      }
      try stores.catalog.setPerceptualHash(0b1111, photo: photos[0].uuid)
      try stores.catalog.setPerceptualHash(0, photo: UUID())
      found.equal(try similar(1, 9), [1], "after another hash was written")
    },
    Self("Originals come first that a photo was made from, at most sixteen in all") {
      place, found in
      let stores = try place.open()
      let photo = try stores.join(1, path: "/z source")
      try stores.join(2, path: "/other")
      var decision = GroupDecision()
      for number in 10..<30 {
        decision.sources.append(
          SourceRecord(
            path: Array("/\(number)".utf8), identity: .sample(number), sha256: Stores.digest(1),
            knowledge: number % 2 == 0
              ? .refused(.photo(.corrupt(what: "x"))) : .photo(photo.uuid, .bytes)))
      }
      try stores.record(decision)
      let noted = try stores.catalog.originals(ids: [photo.id, "none"], sha256: Stores.digest(1))
      found.equal(noted.count, 16, "files")
      found.equal(
        noted.first,
        NotedOriginal(path: Array("/z source".utf8), sha256: Stores.digest(1), isSource: true),
        "the first")
      found.expect(noted.dropFirst().allSatisfy { !$0.isSource }, "others that count as the source")
      let some = try stores.catalog.originals(ids: [photo.id], sha256: nil)
      found.equal(some.count, 11, "files of the photo")
      found.equal(some.first?.isSource, true, "the first of the photo")
      found.equal(
        try stores.catalog.originals(ids: [], sha256: Stores.digest(2)).map(\.path),
        [Array("/other".utf8)], "by its digest alone")
      found.equal(try stores.catalog.originals(ids: [], sha256: nil), [], "nothing asked")
      found.equal(
        try stores.catalog.originalDigests(photo: photo.id), [Stores.digest(1)], "digests")
      found.equal(try stores.catalog.originalDigests(photo: "none"), [], "digests of nothing")
    },
    Self(
      "A photo is forgotten while an original is there as it was imported, else only when asked for"
    ) {
      place, found in
      let stores = try place.open()
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appending(path: "rex.jpg")
      try Data("original 1".utf8).write(to: file)
      let photo = try stores.join(1)
      func note(_ path: String, _ tier: ImportOutcome.DuplicateTier? = nil, _ digest: Int = 1)
        throws
      {
        var status = stat()
        let isThere = lstat(path, &status) == 0
        var decision = GroupDecision()
        decision.sources = [
          SourceRecord(
            path: Array(path.utf8), identity: isThere ? FileIdentity(status) : .sample(1),
            sha256: Stores.digest(digest), knowledge: .photo(photo.uuid, tier))
        ]
        try stores.record(decision)
      }
      func tell(_ outcome: SourceRemoval.Outcome, of path: String) throws -> Bool {
        try place.open().catalog.recordRemoval(outcome, of: Array(path.utf8), photo: photo.uuid)
      }
      func expect(_ original: LostOriginal?, _ what: String) throws {
        let copies = try stores.catalog.onlyCopies(among: [photo.uuid, UUID()])
        found.equal(copies.map(\.original), original.map { [$0] } ?? [], what)
        if original == nil { return }
        found.equal(
          try stores.thrown { try $0.forget(photo, onlyCopies: false) },
          .onlyCopies(photos: [photo.id]), what)
        found.expect(try stores.catalog.photo(id: photo.id) != nil, "forgotten: \(what)")
      }
      try expect(.gone, "without an original on record")
      try note("bucket/rex.jpg", .bytes)
      try expect(.unreachable, "an object")
      let alike = folder.appending(path: "alike.jpg")
      try Data("original 2".utf8).write(to: alike)
      try note(alike.path, .pixels, 2)
      try expect(.unreachable, "a file with equal pixels")
      try note(file.path)
      try expect(nil, "the file")
      found.equal(try tell(.deleted, of: file.path), true, "on record")
      try expect(.deleted, "about to be deleted")
      found.equal(
        try stores.catalog.lookups(of: [(Array(file.path.utf8), FileIdentity(file.status))])
          .map { $0?.isSamePath }, [false], "known as it is there")
      found.equal(try tell(.moved("/x/rex.jpg"), of: file.path), true, "on record")
      try expect(.moved(to: "/x/rex.jpg"), "moved")
      found.equal(try tell(.kept(.changed), of: file.path), true, "on record")
      try expect(nil, "kept")
      found.equal(try tell(.deleted, of: file.path), true, "on record")
      try note(file.path)
      try expect(nil, "imported again")
      try Data("original 3".utf8).write(to: file)
      found.equal(
        try stores.catalog.onlyCopies(among: [photo.uuid]).map(\.original), [.gone], "other bytes")
      try Data("max".utf8).write(to: file)
      try expect(.gone, "another file")
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createSymbolicLink(
        at: file, withDestinationURL: folder.appending(path: "rex.jpg"))
      try expect(.gone, "a link")
      try note(file.path + "/in/a/file")
      try note(String(repeating: "/x", count: 3000))
      try expect(.gone, "the first of several")
      found.equal(try stores.forget(photo, onlyCopies: true), 1, "forgotten when asked for")
      found.equal(
        try stores.thrown { try $0.forget(photo, onlyCopies: false) }, .missingPhoto, "gone")
      found.equal(try tell(.deleted, of: file.path), false, "no longer on record")
    },
    Self("A renewal gives its pictures to every photo with the old blob, sealed anew") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      let old = try stores.join(1)
      let twin = try stores.attach(1, to: "a")
      let apart = try stores.attach(2, to: "b")
      var decision = GroupDecision()
      decision.renewals = [.init(old: old, pictures: Stores.pictures(3))]
      try stores.put(3)
      try stores.record(decision)
      for photo in [old, twin] {
        let now = try other.catalog.photo(id: photo.id)
        found.equal(now, photo.showing(Stores.pictures(3)).sealedAnew, "a photo with the old blob")
        found.equal(now?.isSealed, true, "sealed")
      }
      found.equal(try other.catalog.photo(id: apart.id), apart, "a photo with another blob")
      found.equal(
        try other.catalog.selectUnreferenced(Stores.places(1)), Stores.places(1), "old pictures")
    },
    Self("Looks, and questions for digests, don't wait for what is being recorded") {
      place, found in
      let stores = try place.open()
      let photo = try stores.join(1, path: "/1")
      @Sendable func look(_ when: String) throws(StoreError) {
        found.equal(
          try stores.catalog.known(sha256: Stores.digest(1))?.knowledge, .photo(photo.uuid, nil),
          "known \(when)")
        found.equal(
          try stores.catalog.lookups(of: [(Array("/1".utf8), .sample(1))]).map { $0?.isSamePath },
          [true], "look \(when)")
      }
      try look("before")
      let done = Flag()
      _ = try stores.catalog.record(GroupQuery()) { _ in
        GroupDecision()
      } naming: { _ in
        Thread.detachNewThread {
          try? look("meanwhile")
          done.set()
        }
        waitUntil(milliseconds: 10_000) { done.value }
        found.expect(done.value, "a look waits")
      }
    },
  ]
}

extension Stores {
  fileprivate func forget(_ photo: SealedRecord, onlyCopies: Bool) throws(StoreError) -> Int {
    try catalog.database.write {
      try catalog.forget(assets: [photo.uuid], onlyCopies: onlyCopies, $0).count
    }
  }

  /// Returns the error of work, or `nil` if it succeeds.
  fileprivate func thrown(_ work: (Stores) throws -> Int) throws -> StoreError? {
    do { _ = try work(self) } catch let error as StoreError { return error }
    return nil
  }
}

extension URL {
  fileprivate var status: stat {
    var status = stat()
    lstat(path, &status)
    return status
  }
}
