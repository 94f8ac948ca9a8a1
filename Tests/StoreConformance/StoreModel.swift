import Foundation
import PhotoAttachments

/// The expected state of two stores after each event: the pure state machine and a dictionary of photos.
struct StoreModel {
  struct Photo {
    var number: Int
    var asset: UUID?
  }

  var machines: [String: Machine] = [:]
  var photos: [UUID: Photo] = [:]
  /// The IDs in the order of recording.
  var order: [UUID] = []
  var library: Set<UUID> = []
  var live: Set<Machine.Ticket> = []
  /// The current second, and the second of the last change or touch of each draft's attachment.
  var (now, touched) = (0, [String: Int]())

  mutating func add(_ id: UUID, _ photo: Photo) {
    photos[id] = photo
    order.append(id)
  }

  /// Applies an event, and returns the machine after it.
  @discardableResult
  mutating func handle(_ event: Machine.Event, _ draft: String) -> Machine {
    let before = machines[draft] ?? Machine()
    var machine = before
    let action = machine.handle(event)
    if machine != before {
      machines[draft] = machine
      touched[draft] = now
    }
    if case .giveUp(let photo) = action { deleteUnreferenced(photo) }
    return machine
  }

  mutating func deleteUnreferenced(_ photo: UUID) {
    guard !library.contains(photo), !isAttached(photo) else { return }
    photos[photo] = nil
    order.removeAll { $0 == photo }
  }

  func isAttached(_ photo: UUID) -> Bool { machines.values.contains { $0.photo == photo } }

  mutating func remove(_ photo: UUID) {
    for draft in machines.keys { handle(.forget(photo), draft) }
    deleteUnreferenced(photo)
  }

  /// Forgets a photo of the library, and returns the drafts that picked it.
  mutating func forget(_ asset: UUID) -> [String] {
    library.remove(asset)
    var drafts: [String] = []
    for (draft, machine) in machines {
      guard let photo = machine.photo, photos[photo]?.asset == asset else { continue }
      drafts.append(draft)
      machines[draft] = Machine(machine.state, failure: "asset-forgotten")
    }
    for id in photos.keys where photos[id]?.asset == asset { photos[id]?.asset = nil }
    deleteUnreferenced(asset)
    return drafts.sorted()
  }

  mutating func touch(_ draft: String) { if machines[draft] != nil { touched[draft] = now } }

  /// Expires old drafts, and returns their number.
  mutating func expire(before limit: Int) -> Int {
    var count = 0
    for draft in machines.keys.sorted() {
      let isOld = touched[draft] ?? 0 < limit
      let machine = handle(.restore(ownerAlive: isOwnerAlive(draft)), draft)
      if case .loading = machine.state { continue }
      guard isOld else { continue }
      handle(.expire, draft)
      machines[draft] = nil
      count += 1
    }
    return count
  }

  /// Returns the library's oldest photo with this number.
  func known(_ number: Int) -> UUID? {
    order.first { library.contains($0) && photos[$0]?.number == number }
  }

  func isOwnerAlive(_ draft: String) -> Bool {
    if case .loading(let ticket, _)? = machines[draft]?.state {
      live.contains(ticket)
    } else {
      false
    }
  }

  /// The pictures that at least one photo refers to.
  var referenced: Set<BlobPath> { Set(photos.values.flatMap { Stores.places($0.number) }) }
}
