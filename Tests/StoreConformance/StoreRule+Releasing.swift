import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization
import TestPictures

extension StoreRule {
  static let releasing = [
    Self("Only pictures that no record refers to are deleted, and what that freed is told") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      try stores.attach(1, to: "a")
      try other.join(2)
      try stores.put(3)
      // The bytes of photo 1's blob are another picture if they are stored as a preview.
      _ = try stores.storage.put(.png(1), kind: .preview)
      let twin = Stores.place(.preview, .png(1))
      let places = Stores.places(1) + Stores.places(2) + Stores.places(3) + [twin, Stores.blob(9)]
      let free = try stores.catalog.selectUnreferenced(places)
      found.equal(free, Stores.places(3) + [twin, Stores.blob(9)], "unreferenced")
      let asked = Mutex<[BlobPath]>([])
      let freed = try other.catalog.release(places) { place in
        asked.withLock { $0.append(place) }
        return try other.storage.remove(place)
      }
      found.equal(asked.withLock { $0 }, free, "deleted")
      found.equal(freed.files, 3, "files")
      let sizes = [3, 1003, 1].map { EncodedPicture.png($0).bytes.count }
      found.equal(freed.bytes, sizes.reduce(0, +), "bytes")
      found.equal(
        try stores.listed(), Set(Stores.places(1) + Stores.places(2)), "pictures that are left")
    },
    Self("A deletion that fails is told; what no record refers to can be deleted afterwards") {
      place, found in
      let stores = try place.open()
      try stores.put(1)
      let error = StoreError.storage(operation: "unlink", path: "x", errno: 5)
      found.fails("a deletion", with: error) {
        try stores.catalog.release(Stores.places(1)) { _ in throw error }
      }
      found.equal(try stores.giveUp(Stores.places(1)).files, 2, "files")
      found.equal(try stores.giveUp(Stores.places(1)).files, 0, "files that are gone")
    },
    Self("While pictures are deleted nobody comes to refer to them") { place, found in
      let (stores, other) = (try place.open(), try place.open())
      for round in 0..<4 where found.all.isEmpty {
        let draft = "draft \(round)"
        let photo = try Stores.sample(1)
        let ticket = try other.catalog.begin(draft: draft, at: moment(0))
        try stores.put(1)
        let (isDeleting, isDeleted, isTrying) = (Flag(), Flag(), Flag())
        let rival = StartedThread {
          isDeleting.wait(milliseconds: 5000)
          isTrying.set()
          let applied = try other.catalog.confirm(
            photo, draft: draft, ticket: ticket, at: moment(0)
          ) {
            let areThere = try other.storage.holds(photo)
            found.expect(isDeleted.value, "named while it is deleted")
            return areThere
          }
          return applied != nil
        }
        _ = try stores.catalog.release(Stores.places(1)) { place in
          isDeleting.set()
          isTrying.wait(milliseconds: 5000)
          usleep(8_000)
          let removed = try stores.storage.remove(place)
          if place.kind == .preview { isDeleted.set() }
          return removed
        }
        found.expect(try !rival.wait(), "recorded what was deleted")
        found.expect(try stores.catalog.photo(id: photo.id) == nil, "a record points at nothing")
      }
    },
    Self("A photo that a draft or the library shows stays, and its pictures with it") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      let shared = try stores.attach(1, to: "a")
      let ticket = try other.catalog.begin(draft: "b", at: moment(0))
      _ = try other.catalog.handle(.succeeded(ticket, shared.uuid), draft: "b", at: moment(0))
      // Another photo with the same pictures.
      let twin = try other.attach(1, to: "c")
      let first = try stores.catalog.handle(.remove, draft: "a", at: moment(0))
      try stores.giveUp(first.gone)
      found.expect(try other.storage.holds(shared), "pictures of a shown photo are gone")
      found.equal(try other.catalog.photo(id: shared.id), shared, "the photo that b shows")
      let second = try other.catalog.handle(.remove, draft: "b", at: moment(0))
      try other.giveUp(second.gone)
      found.expect(try stores.catalog.photo(id: shared.id) == nil, "a photo that nobody shows")
      found.expect(try stores.storage.holds(twin), "pictures of its twin are gone")
      let gone = try stores.catalog.remove(photo: twin.uuid, at: moment(0))
      found.equal(Set(gone), Set(Stores.places(1)), "pictures to be given up")
      try stores.giveUp(gone)
      found.equal(try other.listed(), [], "pictures")
    },
  ]
}
