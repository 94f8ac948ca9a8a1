import Foundation
import PhotoAttachments
import TestPictures

/// A call that changes something, prepared in a place.
private struct ChangingCall {
  /// Makes the call.
  var perform: (Stores) throws -> Void
  /// Returns whether the call has taken effect.
  var hasHappened: (Stores) throws -> Bool
}

/// All data of a place that a pair of stores returns.
private struct PlaceState: Equatable {
  var attachments: [AttachmentRecord?]
  var photos: [SealedRecord]
  var seals: [String?]
  var lookups: [SourceLookup?]
  var damages: [EntryDamage]
  var pictures: Set<BlobPath>
  var aside: Int

  init(_ stores: Stores) throws {
    let photos = try stores.photos()
    self.photos = photos
    attachments = try ["a", "b", "c"].map { try stores.catalog.attachment(draft: $0) }
    seals = try photos.map { try stores.catalog.librarySeal(photo: $0.id) }
    lookups = try stores.catalog.lookups(
      of: (0...9).map { (path: Array("/\($0)".utf8), identity: .sample($0)) })
    damages = try stores.catalog.damages()
    pictures = try stores.listed()
    aside = try stores.storage.list(.quarantine).count
  }
}

extension StoreRule {
  package static let failing =
    (StorePlace.Breakdown.catalogCalls.union(StorePlace.Breakdown.storageCalls)).sorted().map {
      name in
      Self("A `\(name)` that fails has not happened, and happens when it is tried again") {
        place, found in
        let (stores, other) = (try place.open(), try place.open())
        for breakdown in place.breakdowns where breakdown.calls.contains(name) {
          let call = try set(name, stores, place)
          let before = try PlaceState(other)
          found.expect(try !call.hasHappened(stores), "happened before, \(breakdown.name)")
          try breakdown.begin(name)
          found.fails("`\(name)` where \(breakdown.name)") { try call.perform(stores) }
          try breakdown.end()
          for stores in [stores, other] {
            found.equal(try PlaceState(stores), before, "the place after a failure")
            found.expect(try !call.hasHappened(stores), "happened, \(breakdown.name)")
          }
          try call.perform(stores)
          for stores in [stores, other] {
            found.expect(try call.hasHappened(stores), "not happened, \(breakdown.name)")
          }
        }
        found.equal(try place.staged(), name == "stage" ? place.breakdowns(of: name) : 0, "staged")
      }
    }

  private static func set(
    _ name: String, _ stores: Stores, _ place: StorePlace
  ) throws -> ChangingCall {
    let catalog = stores.catalog
    switch name {
    case "begin", "handle", "restore", "confirm", "attach", "remove", "touch", "expire":
      return try setDrafts(name, stores)
    case "put", "stage", "name", "delete", "quarantine": return try setStorage(name, stores, place)
    case "forget":
      let asset = try stores.join(1, path: "/1")
      _ = try catalog.attach(asset: asset.uuid, as: UUID(), draft: "a", at: moment(0)) { _ in }
      return ChangingCall {
        _ = try $0.catalog.forget(asset: asset.uuid)
      } hasHappened: {
        try $0.catalog.librarySeal(photo: asset.id) == nil
      }
    case "record":
      let (photo, second) = (try Stores.sample(1), try Stores.sample(2))
      var decision = GroupDecision()
      decision.photos = [photo, second].map { .init(record: $0, perceptualHash: 1) }
      decision.sources = [
        SourceRecord(
          path: Array("/1".utf8), identity: .sample(1), sha256: Stores.digest(1),
          knowledge: .photo(photo.uuid, nil))
      ]
      return ChangingCall { [decision] in
        try $0.record(decision)
      } hasHappened: {
        try $0.catalog.photo(id: second.id) != nil
      }
    case "release":
      try stores.put(8)
      return ChangingCall {
        try $0.giveUp(Stores.places(8))
      } hasHappened: {
        try $0.storage.facts(Stores.blob(8)) == nil
      }
    case "replace":
      let old = try stores.join(1)
      try stores.attach(1, to: "a")
      let new = old.showing(Stores.pictures(2)).sealedAnew
      return ChangingCall {
        _ = try $0.catalog.replace(old, by: new, showing: Stores.pictures(2)) { true }
      } hasHappened: {
        try $0.catalog.photo(sequence: old.sequence) == new
      }
    case "remake":
      let photo = try stores.join(1)
      try place.loseRecord(photo.id)
      return ChangingCall {
        _ = try $0.catalog.remake(SealedRecord(sequence: 0, fields: photo.fields)) { true }
      } hasHappened: {
        try $0.catalog.photo(id: photo.id) != nil
      }
    case "letGo":
      let photo = try stores.attach(1, to: "a")
      try place.loseRecord(photo.id)
      return ChangingCall {
        try $0.catalog.letGo(.attachment(draft: "a"), at: moment(0))
      } hasHappened: {
        try $0.machine("a")?.photo == nil
      }
    case "correctSource":
      let photo = try stores.join(1)
      var decision = GroupDecision()
      decision.sources = [
        SourceRecord(
          path: Array("/1".utf8), identity: .sample(1), sha256: Stores.digest(5),
          knowledge: .photo(photo.uuid, nil))
      ]
      try stores.record(decision)
      return ChangingCall {
        try $0.catalog.correctSource(path: Data("/1".utf8))
      } hasHappened: {
        try $0.catalog.damages().isEmpty
      }
    case "setPerceptualHash":
      let photo = try stores.join(1, hash: 1)
      let before = try catalog.librarySeal(photo: photo.id)
      return ChangingCall {
        try $0.catalog.setPerceptualHash(2, photo: photo.uuid)
      } hasHappened: {
        try $0.catalog.librarySeal(photo: photo.id) != before
      }
    default: throw Missing(what: name)
    }
  }

  private static func setDrafts(_ name: String, _ stores: Stores) throws -> ChangingCall {
    let catalog = stores.catalog
    let shown = try stores.attach(1, to: "a", at: 5)
    switch name {
    case "begin":
      return ChangingCall {
        _ = try $0.catalog.begin(draft: "a", at: moment(9))
      } hasHappened: {
        if case .loading? = try $0.machine("a")?.state { true } else { false }
      }
    case "handle":
      return ChangingCall {
        _ = try $0.catalog.handle(.remove, draft: "a", at: moment(9))
      } hasHappened: {
        try $0.machine("a") == Machine()
      }
    case "restore":
      catalog.end(try catalog.begin(draft: "a", at: moment(6)))
      return ChangingCall {
        try $0.catalog.restore(draft: "a", at: moment(9))
      } hasHappened: {
        try $0.machine("a")?.failure == "interrupted"
      }
    case "confirm":
      let (photo, ticket) = (try Stores.sample(2), try catalog.begin(draft: "a", at: moment(6)))
      try stores.put(2)
      return ChangingCall {
        _ = try $0.confirm(photo, draft: "a", ticket: ticket)
      } hasHappened: {
        try $0.machine("a")?.photo == photo.uuid
      }
    case "attach":
      let (asset, id) = (try stores.join(2), UUID())
      return ChangingCall {
        _ = try $0.catalog.attach(asset: asset.uuid, as: id, draft: "a", at: moment(9)) { _ in }
      } hasHappened: {
        try $0.machine("a") == Machine(.confirmed(id))
      }
    case "remove":
      return ChangingCall {
        _ = try $0.catalog.remove(photo: shown.uuid, at: moment(9))
      } hasHappened: {
        try $0.catalog.photo(id: shown.id) == nil
      }
    case "touch":
      return ChangingCall {
        try $0.catalog.keepAlive(draft: "a", at: moment(9))
      } hasHappened: {
        try $0.catalog.expire(
          before: moment(7), believable: moment(-9)...moment(99), dryRun: true
        ).drafts == 0
      }
    default:
      return ChangingCall {
        _ = try $0.catalog.expire(
          before: moment(7), believable: moment(-9)...moment(99), dryRun: false)
      } hasHappened: {
        try $0.machine("a") == nil
      }
    }
  }

  private static func setStorage(
    _ name: String, _ stores: Stores, _ place: StorePlace
  ) throws -> ChangingCall {
    let spot = Stores.blob(1)
    let isNamed: (Stores) throws -> Bool = { try $0.storage.facts(spot) != nil }
    _ = try stores.storage.remove(spot)
    switch name {
    case "put":
      return ChangingCall(
        perform: { _ = try $0.storage.put(.png(1), kind: .blob) }, hasHappened: isNamed)
    case "stage":
      let before = try place.staged()
      return ChangingCall {
        _ = try $0.storage.stage(.png(1), kind: .blob)
      } hasHappened: { _ in
        try place.staged() > before
      }
    case "name":
      let staged = try stores.storage.stage(.png(1), kind: .blob)
      try stores.storage.sync([staged])
      return ChangingCall(perform: { try $0.storage.name([staged]) }, hasHappened: isNamed)
    case "delete":
      try stores.put(1)
      return ChangingCall {
        try $0.giveUp([spot])
      } hasHappened: {
        try $0.storage.facts(spot) == nil
      }
    default:
      try stores.put(1)
      try place.damage(spot, [1])
      let identity = try stores.storage.findBlob(at: spot, quickly: false)?.identity
      return ChangingCall {
        guard let identity else { return }
        _ = try $0.storage.quarantine(spot, identity, problem: .digest, holds: nil)
      } hasHappened: {
        try $0.storage.facts(spot) == nil
      }
    }
  }
}

extension StorePlace {
  /// Returns the number of ways in which a call can fail.
  fileprivate func breakdowns(of call: String) -> Int {
    breakdowns.count { $0.calls.contains(call) }
  }
}
