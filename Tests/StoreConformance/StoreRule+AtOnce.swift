import Foundation
import PhotoAttachments
import PhotoIngestion
import TestPictures

extension StoreRule {
  static let manyAtOnce = [
    Self("Equal bytes that sixteen put at once are one picture, which is never partial") {
      place, found in
      let stores = [try place.open(), try place.open()]
      let picture = EncodedPicture.bulk(200_000)
      let spot = Stores.place(.blob, picture)
      let (isReading, isOver) = (Flag(), Flag())
      let reader = StartedThread {
        while !isOver.value {
          isReading.set()
          guard let bytes = try? stores[1].storage.readPicture(spot) else { continue }
          found.equal(bytes.count, picture.bytes.count, "bytes under the name")
          let size = try stores[0].storage.facts(spot)?.sizeBytes ?? bytes.count
          found.equal(size, bytes.count, "size under the name")
        }
      }
      isReading.wait(milliseconds: 5000)
      for round in 0..<3 {
        // In the last round, equal bytes are already stored.
        if round < 2 { _ = try stores[0].storage.remove(spot) }
        let answers = try atOnce16(picture, stores)
        found.expect(
          answers.allSatisfy { $0 == StoredPicture(picture, at: spot) }, "facts of the picture")
      }
      isOver.set()
      try reader.wait()
      for stores in stores {
        found.equal(try stores.listed(), [spot], "pictures")
        found.expect(stores.storage.isIntact(spot), "the picture is not whole")
      }
      found.equal(try place.staged(), 0, "staged pictures that are left")
    },
    Self("Equal pictures of sixteen attempts at once are shared, and go with the last") {
      place, found in
      let stores = [try place.open(), try place.open()]
      let photos = try atOnce(16) { try stores[$0 % 2].attach(1, to: "draft \($0)") }
      found.equal(Set(photos.map(\.id)).count, 16, "photos")
      found.equal(try stores[0].listed(), Set(Stores.places(1)), "pictures")
      found.equal(Set(photos.map(\.sequence)).count, 16, "numbers in the order of recording")
      _ = try atOnce(16) { thread in
        let applied = try stores[thread % 2].catalog.handle(
          .remove, draft: "draft \(thread)", at: moment(0))
        try stores[thread % 2].giveUp(applied.gone)
      }
      found.equal(try stores[1].listed(), [], "pictures after the last one")
      found.equal(try stores[1].photos(), [], "photos after the last one")
    },
    Self("Tickets that sixteen draw at once are sixteen") { place, found in
      let stores = [try place.open(), try place.open()]
      let tickets = try atOnce(16) { thread in
        try stores[thread % 2].catalog.begin(draft: "a", at: moment(0))
      }
      found.equal(Set(tickets).count, 16, "tickets")
      guard case .loading(let last, nil)? = try stores[0].machine("a")?.state else {
        return found.add("the draft is not loading")
      }
      found.expect(tickets.contains(last), "a ticket that nobody has")
      let photo = try Stores.sample(1)
      try stores[0].put(1)
      let winners = try tickets.filter { ticket in
        let each = SealedRecord(
          sequence: 0, fields: photo.with(["id": .text(UUID().uuidString)]).sealedAnew.fields)
        let applied = try stores[1].confirm(each, draft: "a", ticket: ticket)
        return applied?.machine.state == .confirmed(each.uuid) && ticket == last
      }
      found.equal(winners, [last], "attempts that were confirmed")
      found.equal(try stores[0].photos().count, 1, "photos")
    },
  ]

  static let besideSweepers = [
    Self("Whoever puts and records beside sweepers without grace loses no picture") {
      place, found in
      let (isOver, rounds) = (Flag(), 40)
      let sweepers = try (0..<2).map { _ in
        let stores = try place.open()
        return StartedThread {
          while !isOver.value {
            try stores.giveUp(stores.catalog.selectUnreferenced(Array(try stores.listed())))
            usleep(500)
          }
        }
      }
      let writers = try (0..<3).map { writer in
        let stores = try place.open()
        return StartedThread {
          for round in 0..<rounds {
            if writer == 2 {
              try stores.importAgain(round % 3)
            } else {
              try stores.attachAgain(1 + round % 3, to: "draft \(writer)")
            }
          }
        }
      }
      defer { isOver.set() }
      for writer in writers { try writer.wait() }
      isOver.set()
      for sweeper in sweepers { try sweeper.wait() }
      let stores = try place.open()
      let photos = try stores.photos()
      found.expect(photos.count >= 3, "only \(photos.count) photos")
      for photo in photos {
        found.expect(try stores.storage.holds(photo), "photo \(photo.sequence) has no picture")
        for place in photo.places {
          found.expect(stores.storage.isIntact(place), "\(place.relativePath) is not whole")
        }
      }
      try stores.giveUp(stores.catalog.selectUnreferenced(Array(try stores.listed())))
      found.equal(try stores.listed(), Set(photos.flatMap(\.places)), "pictures")
      found.equal(try place.staged(), 0, "staged pictures that are left")
    }
  ]

  /// Stores a picture on sixteen threads at once: half of them put it, half stage, sync and name it.
  private static func atOnce16(
    _ picture: EncodedPicture, _ stores: [Stores]
  ) throws -> [StoredPicture] {
    try StoreConformance.atOnce(16) { thread in
      let storage = stores[thread % 2].storage
      if thread < 8 { return try storage.put(picture, kind: .blob) }
      let staged = try storage.stage(picture, kind: .blob)
      try storage.sync([staged])
      try storage.name([staged])
      storage.discard(staged)
      return staged.picture
    }
  }
}

extension Stores {
  /// Attaches a photo. Repeats this until its pictures still exist when they are recorded.
  fileprivate func attachAgain(_ number: Int, to draft: String) throws {
    let ticket = try catalog.begin(draft: draft, at: moment(0))
    defer { catalog.end(ticket) }
    while true {
      try put(number)
      let photo = try Self.sample(number)
      guard let applied = try confirm(photo, draft: draft, ticket: ticket) else { continue }
      try giveUp(applied.gone)
      return
    }
  }

  /// Imports a photo as a group of its own, then forgets the previous photo of the same original. The last photo of
  /// each original stays.
  fileprivate func importAgain(_ number: Int) throws {
    let pictures = [EncodedPicture.png(number), .png(number + 1000)]
    let staged = try zip(pictures, BlobPath.Kind.allCases).map { try storage.stage($0, kind: $1) }
    try storage.sync(staged)
    var decision = GroupDecision()
    decision.photos = [.init(record: try Self.sample(number), perceptualHash: 0)]
    let old = try catalog.known(sha256: Self.digest(number))?.knowledge.photo
    _ = try catalog.record(GroupQuery()) { [decision] _ in
      decision
    } naming: { _ in
      try storage.name(staged)
    }
    for picture in staged { storage.discard(picture) }
    if let old { try giveUp(try catalog.forget(asset: old).gone) }
  }
}
