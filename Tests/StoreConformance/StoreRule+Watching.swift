import Foundation
import PhotoAttachments
import Synchronization

/// A recorder of the records that a watcher received.
private final class Heard: Sendable {
  private let records = Mutex<[AttachmentRecord?]>([])
  private let limit: Int

  init(limit: Int = .max) { self.limit = limit }

  @Sendable func hear(_ record: AttachmentRecord?) -> Bool {
    records.withLock {
      $0.append(record)
      return $0.count < limit
    }
  }

  var all: [AttachmentRecord?] { records.withLock { $0 } }
  var machines: [Machine?] { all.map { $0?.machine } }

  /// Waits until this many records were received.
  ///
  /// - Throws: `Missing` if it takes too long.
  func wait(for count: Int, milliseconds: Int = 2000) throws {
    guard waitUntil(milliseconds: milliseconds, { all.count >= count }) else {
      throw Missing(what: "heard only \(machines)")
    }
  }
}

extension StoreRule {
  static let watching = [
    Self("A watcher hears the present, and then each change once and in order") { place, found in
      let stores = try place.open()
      let (catalog, heard, other) = (stores.catalog, Heard(), Heard())
      _ = catalog.watch(draft: "a", heard.hear)
      _ = catalog.watch(draft: "b", other.hear)
      try heard.wait(for: 1)
      try other.wait(for: 1)
      let ticket = try catalog.begin(draft: "a", at: moment(0))
      let photo = try Stores.sample(1)
      try stores.put(1)
      _ = try stores.confirm(photo, draft: "a", ticket: ticket)
      // Neither call changes the state.
      try catalog.keepAlive(draft: "a", at: moment(1))
      _ = try catalog.handle(.failed(ticket, code: "late"), draft: "a", at: moment(0))
      let asset = try stores.join(2)
      let done = try catalog.attach(asset: asset.uuid, as: UUID(), draft: "a", at: moment(0)) {
        _ in
      }
      _ = try catalog.forget(asset: asset.uuid)
      let next = try catalog.begin(draft: "a", at: moment(0))
      _ = try catalog.handle(.failed(next, code: "corrupt"), draft: "a", at: moment(0))
      _ = try catalog.expire(
        before: moment(9), believable: moment(-9)...moment(9), dryRun: false)
      try heard.wait(for: 9)
      let shown = done.photo.uuid
      let between: Machine.Ticket? =
        if case .loading(let ticket, _)? = heard.machines.dropFirst(3).first??.state { ticket } else
        {
          nil
        }
      found.equal(
        heard.machines,
        [
          nil, Machine(.loading(ticket, previous: nil)), Machine(.confirmed(photo.uuid)),
          Machine(.loading(between ?? 0, previous: photo.uuid)), Machine(.confirmed(shown)),
          Machine(.confirmed(shown), failure: "asset-forgotten"),
          Machine(.loading(next, previous: shown)), Machine(.confirmed(shown), failure: "corrupt"),
          Machine(),
        ], "what was heard")
      found.equal(heard.all.dropFirst(2).first??.photo?.id, photo.id, "photo that was heard")
      found.equal(other.machines, [nil], "what was heard of another draft")
      // A watcher that starts late receives the current state.
      let late = Heard()
      let restart = try catalog.begin(draft: "a", at: moment(0))
      _ = catalog.watch(draft: "a", late.hear)
      try late.wait(for: 1)
      found.equal(late.machines, [Machine(.loading(restart, previous: nil))], "the present")
    },
    Self("Changes by many threads are heard in the order in which they happened") { place, found in
      let (stores, heard) = (try place.open(), Heard())
      _ = stores.catalog.watch(draft: "a", heard.hear)
      try heard.wait(for: 1)
      let tickets = try StoreConformance.atOnce(6) { _ in
        try (0..<4).map { _ in try stores.catalog.begin(draft: "a", at: moment(0)) }
      }.joined().sorted()
      try heard.wait(for: 25)
      found.equal(
        heard.machines, [nil] + tickets.map { Machine(.loading($0, previous: nil)) },
        "what was heard")
    },
    Self("What is changed through another store of the place is heard too, and once") {
      place, found in
      let (stores, other, heard, elsewhere) = (
        try place.open(), try place.open(), Heard(), Heard()
      )
      _ = stores.catalog.watch(draft: "a", heard.hear)
      _ = stores.catalog.watch(draft: "b", elsewhere.hear)
      try heard.wait(for: 1)
      // This takes less than a second, except on a busy machine.
      let ticket = try other.catalog.begin(draft: "a", at: moment(0))
      try heard.wait(for: 2, milliseconds: 5000)
      _ = try other.catalog.handle(.failed(ticket, code: "corrupt"), draft: "a", at: moment(0))
      let failed = try other.machine("a")
      try heard.wait(for: 3, milliseconds: 5000)
      let own = try stores.catalog.begin(draft: "a", at: moment(0))
      try other.catalog.keepAlive(draft: "a", at: moment(1))
      try heard.wait(for: 4)
      usleep(1_200_000)
      found.equal(
        heard.machines,
        [
          nil, Machine(.loading(ticket, previous: nil)), failed,
          Machine(.loading(own, previous: nil)),
        ], "what was heard")
      found.equal(elsewhere.machines, [nil], "what was heard of another draft")
    },
    Self("What did not happen is not heard") { place, found in
      let (stores, heard) = (try place.open(), Heard())
      _ = stores.catalog.watch(draft: "a", heard.hear)
      try heard.wait(for: 1)
      let ticket = try stores.catalog.begin(draft: "a", at: moment(0))
      try stores.put(1)
      let photo = try Stores.sample(1)
      _ = try stores.catalog.confirm(photo, draft: "a", ticket: ticket, at: moment(0)) { false }
      found.fails("naming") {
        try stores.catalog.confirm(photo, draft: "a", ticket: ticket, at: moment(0)) {
          throw StoreError.cancelled
        }
      }
      _ = try stores.catalog.expire(
        before: moment(9), believable: moment(-9)...moment(9), dryRun: true)
      _ = try stores.catalog.handle(.remove, draft: "a", at: moment(0))
      try heard.wait(for: 3)
      found.equal(
        heard.machines, [nil, Machine(.loading(ticket, previous: nil)), Machine()],
        "what was heard")
    },
    Self("Who hears no more is told no more") { place, found in
      let stores = try place.open()
      let (one, two, ended) = (Heard(limit: 1), Heard(limit: 2), Heard())
      _ = stores.catalog.watch(draft: "a", one.hear)
      _ = stores.catalog.watch(draft: "a", two.hear)
      let end = stores.catalog.watch(draft: "a", ended.hear)
      for heard in [one, two, ended] { try heard.wait(for: 1) }
      _ = try stores.catalog.begin(draft: "a", at: moment(0))
      try two.wait(for: 2)
      end()
      end()
      for _ in 0..<3 { _ = try stores.catalog.begin(draft: "a", at: moment(0)) }
      found.equal([one, two, ended].map(\.all.count), [1, 2, 2], "times heard")
    },
  ]

  static let closing = [
    Self("Calls under way end before a catalog is closed, later ones fail") { place, found in
      let (stores, other) = (try place.open(), try place.open())
      let catalog = stores.catalog
      let ticket = try catalog.begin(draft: "a", at: moment(0))
      let photo = try Stores.sample(1)
      try stores.put(1)
      let (isNaming, isNamed) = (Flag(), Flag())
      let confirming = StartedThread {
        try catalog.confirm(photo, draft: "a", ticket: ticket, at: moment(0)) {
          isNaming.set()
          usleep(100_000)
          isNamed.set()
          return true
        }
      }
      isNaming.wait(milliseconds: 5000)
      try catalog.close()
      found.expect(isNamed.value, "closed while a call is under way")
      found.equal(
        try confirming.wait()?.machine, Machine(.confirmed(photo.uuid)), "a call under way")
      for (name, call) in closedCalls(catalog, photo) {
        found.fails("`\(name)` of a closed catalog", with: .database(.closed, detail: "")) {
          try call()
        }
      }
      let heard = Heard()
      catalog.watch(draft: "a", heard.hear)()
      catalog.end(ticket)
      try catalog.close()
      found.equal(try other.machine("a"), Machine(.confirmed(photo.uuid)), "in the other store")
      found.equal(try place.open().photos().map(\.id), [photo.id], "opened once more")
    }
  ]

  private static func closedCalls(
    _ catalog: Catalog, _ photo: SealedRecord
  ) -> [(String, () throws -> Void)] {
    let (id, now) = (photo.uuid, moment(0))
    return [
      ("attachment", { _ = try catalog.attachment(draft: "a") }),
      ("begin", { _ = try catalog.begin(draft: "a", at: now) }),
      ("handle", { _ = try catalog.handle(.remove, draft: "a", at: now) }),
      ("restore", { try catalog.restore(draft: "a", at: now) }),
      ("confirm", { _ = try catalog.confirm(photo, draft: "a", ticket: 1, at: now) { true } }),
      ("attach", { _ = try catalog.attach(asset: id, as: UUID(), draft: "a", at: now) { _ in } }),
      ("remove", { _ = try catalog.remove(photo: id, at: now) }),
      ("forget", { _ = try catalog.forget(asset: id) }),
      ("touch", { try catalog.keepAlive(draft: "a", at: now) }),
      ("expire", { _ = try catalog.expire(before: now, believable: now...now, dryRun: false) }),
      ("expire dry", { _ = try catalog.expire(before: now, believable: now...now, dryRun: true) }),
      ("abandonedDrafts", { _ = try catalog.abandonedDrafts() }),
      ("photo id", { _ = try catalog.photo(id: "") }),
      ("photo sequence", { _ = try catalog.photo(sequence: 1) }),
      ("newest", { _ = try catalog.newest(1, before: .max) }),
      ("page", { _ = try catalog.page(after: 0, limit: 1, attachedOnly: false) }),
      ("similar", { _ = try catalog.similar(to: id, distance: 0, limit: 1) }),
      ("unreferenced", { _ = try catalog.selectUnreferenced([]) }),
      ("release", { _ = try catalog.release([]) { _ in nil } }),
      ("isYoungerThanPictures", { _ = try catalog.mayLackRecordsOfPictures() }),
      ("checkIntegrity", { try catalog.checkIntegrity() }),
      ("hold", { try catalog.lock(dryRun: false) { _ in } }),
      ("hold dry", { try catalog.lock(dryRun: true) { _ in } }),
      ("damages", { _ = try catalog.damages() }),
      ("problem", { _ = try catalog.problem(of: .library(photo: "")) }),
      ("replace", { _ = try catalog.replace(photo, by: photo, showing: nil) { true } }),
      ("remake", { _ = try catalog.remake(photo) { true } }),
      ("letGo", { try catalog.letGo(.library(photo: ""), at: now) }),
      ("correctSource", { try catalog.correctSource(path: Data()) }),
      ("librarySeal", { _ = try catalog.librarySeal(photo: "") }),
      ("setPerceptualHash", { try catalog.setPerceptualHash(0, photo: id) }),
      ("originals", { _ = try catalog.originals(ids: [], sha256: nil) }),
      ("originalDigests", { _ = try catalog.originalDigests(photo: "") }),
      ("missedPhotos", { _ = try catalog.missedPhotos() }),
      ("lookups", { _ = try catalog.lookups(of: []) }),
      ("known", { _ = try catalog.known(sha256: "") }),
      (
        "candidates",
        {
          _ = try catalog.candidates(for: [(Stores.pictures(1), 0)])
        }
      ),
      ("knowledge", { _ = try catalog.knowledge(of: GroupQuery()) }),
      (
        "record",
        {
          _ = try catalog.record(GroupQuery()) { _ in
            GroupDecision()
          } naming: { _ in
          }
        }
      ),
    ]
  }
}
