import Foundation
import PhotoAttachments
import TestPictures

extension StoreRule {
  static let damage = [
    Self("A sound catalog has no damage, and knows whether it is younger than its pictures") {
      place, found in
      let stores = try place.open()
      try stores.join(1, path: "/1")
      try stores.attach(2, to: "a")
      _ = try stores.catalog.begin(draft: "b", at: moment(0))
      try stores.catalog.checkIntegrity()
      found.equal(try stores.catalog.damages(), [], "damages")
      found.equal(try stores.catalog.missedPhotos(), [], "missed photos")
      found.equal(try stores.catalog.mayLackRecordsOfPictures(), false, "younger")
      for entry in [
        CatalogEntry.attachment(draft: "a"), .attachment(draft: "none"), .library(photo: "none"),
        .source(path: Data("/1".utf8)), .asset(photo: "none"), .other(photo: "none"),
      ] {
        found.equal(try stores.catalog.problem(of: entry), nil, "\(entry)")
        // The entry has no problem, so `letGo` has nothing to release.
        try stores.catalog.letGo(entry, at: moment(0))
      }
      found.equal(try stores.photos().count, 2, "photos")
      found.expect(try stores.catalog.attachment(draft: "a")?.photo != nil, "a lost its photo")
    },
    Self("Entries without their photo are told, and end when they are let go") { place, found in
      let (stores, other) = (try place.open(), try place.open())
      let asset = try stores.join(1, path: "/1")
      let shown = try stores.attach(2, to: "a")
      for photo in [asset, shown] { try place.loseRecord(photo.id) }
      let entries = [
        CatalogEntry.attachment(draft: "a"), .library(photo: asset.id),
      ]
      found.equal(
        Set(try other.catalog.damages().filter { $0.problem == .reference }.map(\.entry)),
        Set(entries), "damages")
      found.equal(
        Set(try other.catalog.missedPhotos()), [asset.id, shown.id], "missed photos")
      for entry in entries {
        found.equal(try other.catalog.problem(of: entry), .reference, "\(entry)")
        try other.catalog.letGo(entry, at: moment(0))
        found.equal(try stores.catalog.problem(of: entry), nil, "\(entry) that was let go")
      }
      found.equal(try stores.machine("a"), Machine(), "a")
      found.expect(try stores.catalog.librarySeal(photo: asset.id) == nil, "in the library")
      found.expect(
        try stores.catalog.lookups(of: [(Array("/1".utf8), .sample(1))])[0] == nil,
        "a file of a photo that is not in the library")
      found.equal(try stores.catalog.damages(), [], "damages at the end")
      found.equal(try stores.catalog.missedPhotos(), [], "missed photos at the end")
    },
    Self("An attempt in whose draft a lost photo is let go goes on") { place, found in
      let stores = try place.open()
      let shown = try stores.attach(2, to: "a")
      let ticket = try stores.catalog.begin(draft: "a", at: moment(0))
      try place.loseRecord(shown.id)
      try stores.catalog.letGo(.attachment(draft: "a"), at: moment(0))
      found.equal(try stores.machine("a"), Machine(.loading(ticket, previous: nil)), "a")
    },
    Self("A photo whose origin is not in the library is told, and forgets it") { place, found in
      let stores = try place.open()
      let photo = try stores.attach(1, to: "a", asset: UUID().uuidString)
      let entry = CatalogEntry.asset(photo: photo.id)
      found.equal(
        try stores.catalog.damages(), [EntryDamage(entry, photo: photo.id, isDangling: true)],
        "damages")
      found.equal(try stores.catalog.missedPhotos(), [], "missed photos")
      try stores.catalog.letGo(entry, at: moment(0))
      let now = try stores.catalog.photo(id: photo.id)
      found.equal(now?.fields["assetIdentifier"], .null, "origin")
      found.equal(now?.isSealed, true, "sealed")
      found.equal(try stores.catalog.damages(), [], "damages at the end")
    },
    Self("A source with another digest than its photo's original is told and put right") {
      place, found in
      let stores = try place.open()
      let photo = try stores.join(1, path: "/1")
      var decision = GroupDecision()
      decision.sources = [
        SourceRecord(
          path: Array("/1".utf8), identity: .sample(1), sha256: Stores.digest(7),
          knowledge: .photo(photo.uuid, nil)),
        SourceRecord(
          path: Array("/equal".utf8), identity: .sample(2), sha256: Stores.digest(8),
          knowledge: .photo(photo.uuid, .pixels)),
      ]
      try stores.record(decision)
      let entry = CatalogEntry.source(path: Data("/1".utf8))
      found.equal(
        try stores.catalog.damages(), [EntryDamage(entry, photo: photo.id, isDangling: false)],
        "damages")
      found.equal(try stores.catalog.problem(of: entry), .record, "problem")
      try stores.catalog.letGo(entry, at: moment(0))
      found.equal(try stores.catalog.problem(of: entry), .record, "only danglers are let go")
      try stores.catalog.correctSource(path: Data("/equal".utf8))
      try stores.catalog.correctSource(path: Data("/1".utf8))
      found.equal(try stores.catalog.damages(), [], "damages at the end")
      found.equal(
        try stores.catalog.originalDigests(photo: photo.id), [Stores.digest(1), Stores.digest(8)],
        "digests")
    },
    Self("Who holds sees records, and nobody changes them meanwhile") { place, found in
      let (stores, other) = (try place.open(), try place.open())
      let photo = try stores.attach(1, to: "a")
      try stores.put(3)
      let (isHeld, isReleased) = (Flag(), Flag())
      let rival = StartedThread {
        isHeld.wait(milliseconds: 5000)
        let applied = try other.catalog.handle(.remove, draft: "a", at: moment(0))
        found.expect(isReleased.value, "changed while it is locked")
        try other.giveUp(applied.gone + Stores.places(3))
      }
      let digest = try stores.catalog.lock(dryRun: false) { locked in
        isHeld.set()
        usleep(10_000)
        found.equal(try locked.photo(sequence: photo.sequence), photo, "the photo")
        found.equal(try locked.photo(sequence: photo.sequence + 99), nil, "no photo")
        for (place, isReferenced) in [
          (Stores.blob(1), true), (Stores.preview(1), true), (Stores.blob(3), false),
          (Stores.place(.preview, .png(1)), false),
        ] {
          found.equal(try locked.isReferenced(place), isReferenced, "\(place.relativePath)")
        }
        for (place, isReferenced) in [
          (Stores.blob(1), true), (Stores.preview(1), true), (Stores.blob(3), false),
        ] {
          found.equal(try locked.isReferenced(digest: place.sha256), isReferenced, place.sha256)
        }
        found.expect(try stores.storage.facts(Stores.blob(3)) != nil, "deleted while it is locked")
        isReleased.set()
        return Stores.blob(1).sha256
      }
      found.equal(digest, Stores.blob(1).sha256, "answer")
      try rival.wait()
      found.equal(try stores.machine("a"), Machine(), "a")
      try stores.attach(1, to: "b")
      let read = try stores.catalog.lock(dryRun: true) { locked in
        try locked.isReferenced(Stores.blob(1))
      }
      found.equal(read, true, "referenced in a dry run")
      found.fails("work that fails", with: .cancelled) {
        try stores.catalog.lock(dryRun: false) { _ in throw StoreError.cancelled }
      }
    },
    Self("A replaced photo keeps its number, and photos with its blob show the new one") {
      place, found in
      let stores = try place.open()
      let old = try stores.attach(1, to: "a")
      let twin = try stores.attach(1, to: "b")
      try stores.put(2)
      let new = old.showing(Stores.pictures(2)).with(["fileName": .text("new")]).sealedAnew
      found.expect(
        try stores.catalog.replace(old, by: new, showing: Stores.pictures(2)) { true }, "not done")
      found.equal(try stores.catalog.photo(sequence: old.sequence), new, "the photo")
      found.equal(
        try stores.catalog.photo(id: twin.id), twin.showing(Stores.pictures(2)).sealedAnew, "twin")
      let renamed = new.with(["fileName": .text("again")]).sealedAnew
      found.expect(
        try stores.catalog.replace(new, by: renamed, showing: nil) { true }, "not done again")
      found.equal(try stores.photos().map { $0.text("fileName") }, ["again", "rex.heic"], "names")
      found.expect(try !stores.catalog.replace(new, by: old, showing: nil) { true }, "overwritten")
    },
    Self("A lost photo that is made anew is the photo of its entries again") { place, found in
      let stores = try place.open()
      let asset = try stores.join(1, hash: 9, path: "/1")
      let seal = try stores.catalog.librarySeal(photo: asset.id)
      try place.loseRecord(asset.id)
      let anew = SealedRecord(sequence: 0, fields: asset.fields)
      found.expect(try stores.catalog.remake(anew) { true }, "not done")
      found.expect(try !stores.catalog.remake(anew) { true }, "done twice")
      found.equal(try stores.photos().map(\.fields), [asset.fields], "photos")
      found.equal(try stores.catalog.librarySeal(photo: asset.id), seal, "seal of the entry")
      found.equal(try stores.catalog.damages(), [], "damages")
      found.equal(
        try stores.catalog.lookups(of: [(Array("/1".utf8), .sample(1))]).map { $0?.blob?.place },
        [Stores.blob(1)], "its file")
    },
  ]
}
