import Foundation
import PhotoAttachments

extension StoreRule {
  static let places = [
    Self("A photo is found by every folder and name in which a copy of it was seen, once each") {
      place, found in
      let stores = try place.open()
      let photo = try stores.join(1, path: "/Kopia/z/rex.jpg")
      let other = try stores.join(2, path: "/Kopia/z/luna.jpg")
      var decision = GroupDecision()
      for (number, path) in ["/Psy/Kojec 5/Śnieżka.jpg", "/Psy/Kojec 5/a.jpg", "/x/a.jpg"]
        .enumerated()
      {
        decision.sources.append(
          SourceRecord(
            path: Array(path.utf8), identity: .sample(number + 10), sha256: Stores.digest(1),
            knowledge: .photo(photo.uuid, .bytes)))
      }
      try stores.record(decision)
      try stores.record(decision)  // a second time changes nothing
      func find(_ change: (inout PhotoQuery) -> Void) throws -> [(id: String, place: String)] {
        var search = PhotoQuery()
        change(&search)
        return try stores.catalog.find(search, now: Date()).map {
          ($0.record.id, $0.places.first.map { $0.folder + "/" + $0.name } ?? "")
        }
      }
      for order in PhotoQuery.Order.allCases {
        func ids(_ change: (inout PhotoQuery) -> Void) throws -> [String] {
          try find {
            change(&$0)
            $0.order = order
          }.map(\.id)
        }
        found.equal(try ids { $0.words = ["sniezka"] }, [photo.id], "a word of a copy")
        found.equal(try ids { $0.words = ["kojec", "a.jpg"] }, [photo.id], "words of a copy")
        found.equal(try ids { $0.words = ["sniezka", "x"] }, [], "words of different copies")
        found.equal(try ids { $0.folder = "*kojec 5" }, [photo.id], "the folder of two copies")
        found.equal(
          Set(try ids { $0.folder = "/kopia/*" }), [photo.id, other.id], "the first folder")
        found.equal(
          try ids {
            $0.folder = "*"
            $0.limit = 1
            $0.offset = 2
          }, [], "a page behind the last photo")
      }
      found.equal(
        try find { $0.folder = "*kojec 5" }.map(\.place), ["/Psy/Kojec 5/a.jpg"], "the place")
      let places = try stores.catalog.find(PhotoQuery(), now: Date()).map(\.places.count)
      found.equal(places, [1, 4], "all places")
      _ = try stores.catalog.forget(asset: photo.uuid)
      found.equal(try find { $0.words = ["sniezka"] }.map(\.id), [], "a copy of nothing")
    },
    Self("A photo's date comes from the best place that any of its files has") { place, found in
      let stores = try place.open()
      let photo = try stores.join(1)
      func date(after date: TakenDate?) throws -> TakenDate? {
        var decision = GroupDecision()
        if let date { decision.dates = [photo.uuid: date] }
        try stores.record(decision)
        return try stores.catalog.find(PhotoQuery(), now: Date()).first?.taken
      }
      let name = TakenDate("2024-03-15", from: .name)
      let sidecar = TakenDate("2024-03-14T10:11:12Z", from: .sidecar)
      let exif = TakenDate("2024-03-13T10:11:12", from: .exif)
      found.equal(try date(after: nil), nil, "no date")
      found.equal(try date(after: name), name, "that of a name")
      found.equal(try date(after: TakenDate("2001-01-01", from: .name)), name, "the first name")
      found.equal(try date(after: sidecar), sidecar, "that of a sidecar")
      found.equal(try date(after: name), sidecar, "still that of a sidecar")
      found.equal(try date(after: exif), exif, "its own")
      found.equal(try date(after: sidecar), exif, "still its own")
    },
  ]
}
