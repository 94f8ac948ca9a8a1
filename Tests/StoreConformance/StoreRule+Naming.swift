import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import Synchronization

/// An operation that names pictures (promise N), prepared in a place.
struct NamingAct: Sendable {
  /// Names pictures and returns whether they are stored.
  typealias Naming = @Sendable () throws -> Bool

  /// The photo whose pictures the operation records.
  var photo: SealedRecord
  /// Performs the operation, and returns whether it succeeded.
  var perform: @Sendable (Stores, @escaping Naming) throws -> Bool
  /// Returns whether the operation is recorded.
  var isRecorded: @Sendable (Stores) throws -> Bool
  /// A concurrent operation of another process that would delete the pictures.
  var rival: @Sendable (Stores) throws -> Void

  /// All operations, each prepared in a new place.
  static let all: [(name: String, make: @Sendable (StorePlace, Stores) throws -> NamingAct)] = [
    ("confirm", { _, stores in try confirm(stores) }),
    ("show", { _, stores in try show(stores) }),
    ("record", { _, stores in try record(stores) }),
    ("attach", { _, stores in try attach(stores) }),
    ("replace", { _, stores in try replace(stores) }), ("remake", remake),
  ]

  private static func confirm(_ stores: Stores) throws -> NamingAct {
    let photo = try Stores.sample(1)
    let ticket = try stores.catalog.begin(draft: "a", at: moment(0))
    try stores.put(1)
    return NamingAct(photo: photo) { stores, naming in
      try stores.catalog.confirm(
        photo, draft: "a", ticket: ticket, at: moment(0), naming: naming) != nil
    } isRecorded: {
      try $0.catalog.photo(id: photo.id) != nil
    } rival: {
      try $0.giveUp(Stores.places(1))
    }
  }

  private static func show(_ stores: Stores) throws -> NamingAct {
    let photo = try Stores.sample(1)
    try stores.put(1)
    return NamingAct(photo: photo) { stores, naming in
      try stores.catalog.database.write { t in
        let stored = StoredPhoto(photo, try PhotoRows.lock(photo.places, t), areThere: naming)
        _ = try stores.catalog.showPhoto(
          stored, announcement: "none", insteadOf: nil, at: moment(0), t)
        return !t.rollsBack
      }
    } isRecorded: {
      try $0.catalog.photo(id: photo.id) != nil
    } rival: {
      try $0.giveUp(Stores.places(1))
    }
  }

  private static func record(_ stores: Stores) throws -> NamingAct {
    let photo = try Stores.sample(1)
    try stores.put(1)
    var decision = GroupDecision()
    decision.photos = [.init(record: photo, perceptualHash: 7)]
    decision.sources = [
      SourceRecord(
        path: Array("/1".utf8), identity: .sample(1), sha256: Stores.digest(1),
        knowledge: .photo(photo.uuid, nil))
    ]
    return NamingAct(photo: photo) { [decision] stores, naming in
      _ = try stores.catalog.record(GroupQuery()) { _ in
        decision
      } naming: { _ in
        guard try naming() else { throw StoreError.missingPhoto }
      }
      return true
    } isRecorded: { stores in
      let look = try stores.catalog.lookups(of: [(Array("/1".utf8), .sample(1))])[0]
      let isThere = [
        try stores.catalog.photo(id: photo.id) != nil, look != nil,
        try stores.catalog.librarySeal(photo: photo.id) != nil,
      ]
      return isThere.contains(true)
    } rival: {
      try $0.giveUp(Stores.places(1))
    }
  }

  private static func attach(_ stores: Stores) throws -> NamingAct {
    let (asset, id) = (try stores.join(1), UUID())
    return NamingAct(photo: asset) { stores, naming in
      do {
        _ = try stores.catalog.attach(asset: asset.uuid, as: id, draft: "a", at: moment(0)) { _ in
          guard try naming() else { throw StoreError.missingPhoto }
        }
        return true
      } catch StoreError.missingPhoto { return false }
    } isRecorded: { stores in
      let isThere = try stores.catalog.photo(id: id.uuidString) != nil
      return try isThere || stores.catalog.attachment(draft: "a") != nil
    } rival: {
      try $0.giveUp(try $0.catalog.forget(asset: asset.uuid).gone)
    }
  }

  private static func replace(_ stores: Stores) throws -> NamingAct {
    let old = try stores.attach(2, to: "a")
    let pictures = Stores.pictures(1)
    let new = old.showing(pictures).sealedAnew
    try stores.put(1)
    return NamingAct(photo: new) { stores, naming in
      try stores.catalog.replace(old, by: new, showing: pictures, naming: naming)
    } isRecorded: {
      try $0.catalog.photo(id: old.id) != old
    } rival: {
      try $0.giveUp(Stores.places(1))
    }
  }

  private static let remake: @Sendable (StorePlace, Stores) throws -> NamingAct = { place, stores in
    let photo = try stores.join(1)
    try place.loseRecord(photo.id)
    let anew = SealedRecord(sequence: 0, fields: photo.fields)
    return NamingAct(photo: anew) { stores, naming in
      try stores.catalog.remake(anew, naming: naming)
    } isRecorded: {
      try $0.catalog.photo(id: photo.id) != nil
    } rival: {
      try $0.giveUp(Stores.places(1))
    }
  }
}

extension StoreRule {
  static let naming =
    NamingAct.all.flatMap { act in
      [
        Self("`\(act.name)` asks once for the names, and is on record when they are given") {
          place, found in
          let (stores, other) = (try place.open(), try place.open())
          let set = try act.make(place, stores)
          let asked = Mutex(0)
          let isDone = try set.perform(stores) {
            asked.withLock { $0 += 1 }
            return try stores.storage.holds(set.photo)
          }
          found.expect(isDone, "not done")
          found.equal(asked.withLock { $0 }, 1, "times asked")
          for stores in [stores, other] {
            found.expect(try set.isRecorded(stores), "not on record")
          }
        },
        Self("`\(act.name)` leaves nothing behind when the names cannot be given") { place, found in
          let (stores, other) = (try place.open(), try place.open())
          let set = try act.make(place, stores)
          let error = StoreError.storage(operation: "rename", path: "x", errno: 5)
          found.fails("naming that fails", with: error) {
            try set.perform(stores) { throw error }
          }
          found.expect(try !set.isRecorded(other), "on record after a failure")
          let isDone = (try? set.perform(stores) { false }) ?? false
          found.expect(!isDone, "done although denied")
          found.expect(try !set.isRecorded(other), "on record although denied")
          found.expect(try set.perform(other) { true }, "not done afterwards")
          found.expect(try set.isRecorded(stores), "not on record afterwards")
        },
        Self("Nobody deletes the pictures of `\(act.name)` from their naming on") { place, found in
          let (stores, other) = (try place.open(), try place.open())
          let set = try act.make(place, stores)
          let (isNaming, isTrying) = (Flag(), Flag())
          let rival = StartedThread {
            isNaming.wait(milliseconds: 5000)
            isTrying.set()
            try set.rival(other)
          }
          let isDone = try set.perform(stores) {
            let areThere = try stores.storage.holds(set.photo)
            isNaming.set()
            isTrying.wait(milliseconds: 5000)
            // Gives a deletion that doesn't wait enough time to happen.
            usleep(15_000)
            return areThere
          }
          try rival.wait()
          found.expect(isDone, "not done")
          found.expect(try set.isRecorded(stores), "not on record")
          found.expect(try stores.storage.holds(set.photo), "a record points at nothing")
        },
      ]
    } + [namingAfterChecks, takenIDs]

  private static let namingAfterChecks = Self("Names are asked for after all checks") {
    place, found in
    let stores = try place.open()
    let catalog = stores.catalog
    let ask: @Sendable () -> Bool = {
      found.add("asked for names")
      return true
    }
    found.fails("attaching what the library does not have", with: .missingPhoto) {
      try catalog.attach(asset: UUID(), as: UUID(), draft: "a", at: moment(0)) { _ in _ = ask() }
    }
    let old = try stores.attach(1, to: "a")
    let changed = old.with(["fileName": .text("other")])
    found.expect(
      try !catalog.replace(changed, by: old, showing: nil, naming: ask), "replaced what changed")
    let gone = SealedRecord(sequence: 99, fields: old.fields)
    found.expect(
      try !catalog.replace(gone, by: old, showing: nil, naming: ask), "replaced what is gone")
    found.expect(try !catalog.remake(try Stores.sample(3), naming: ask), "remade what is no entry")
    let sound = try stores.join(2)
    found.expect(try !catalog.remake(sound, naming: ask), "remade what is in order")
    found.fails("a decision that fails", with: .fault(.unexpected)) {
      try catalog.record(GroupQuery()) { _ in
        throw StoreError.fault(.unexpected)
      } naming: { _ in
        _ = ask()
      }
    }
    var decision = GroupDecision()
    decision.photos = [.init(record: try Stores.sample(4), perceptualHash: 0)]
    decision.sources = [
      SourceRecord(
        path: [1], identity: .sample(1), sha256: nil, knowledge: .photo(UUID(), nil))
    ]
    let before = try stores.photos()
    found.fails("a file of a photo that is not in the library") {
      try catalog.record(GroupQuery()) { [decision] _ in
        decision
      } naming: { _ in
        _ = ask()
      }
    }
    found.equal(try stores.photos(), before, "photos after a group that was refused")
  }

  private static let takenIDs = Self("An id is given once") { place, found in
    let stores = try place.open()
    let photo = try stores.attach(1, to: "a")
    let before = try stores.machine("a")
    let again = try Stores.sample(2, id: photo.uuid)
    let ticket = try stores.catalog.begin(draft: "b", at: moment(0))
    try stores.put(2)
    found.fails("confirming a photo under a taken id") {
      try stores.confirm(again, draft: "b", ticket: ticket)
    }
    found.fails("recording a photo under a taken id") { try stores.join(2, photo: again) }
    let asset = try stores.join(3)
    found.fails("attaching a photo under a taken id") {
      try stores.catalog.attach(asset: asset.uuid, as: photo.uuid, draft: "b", at: moment(0)) {
        _ in
      }
    }
    found.equal(try stores.machine("a"), before, "a")
    found.equal(try stores.machine("b"), Machine(.loading(ticket, previous: nil)), "b")
    found.equal(try stores.photos().map(\.id), [photo.id, asset.id], "photos")
  }
}
