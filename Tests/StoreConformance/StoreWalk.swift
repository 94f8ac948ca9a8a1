import Foundation
import PhotoAttachments
import TestPictures

/// A random walk of events through two stores of one place, compared with the model.
struct StoreWalk {
  static let drafts = ["a", "Ł'b", "c"]
  private let stores: [Stores]
  private let found: Findings
  private var model = StoreModel()
  private var random: SeededGenerator
  private var tickets: [Machine.Ticket] = []
  private var step = 0

  init(_ place: StorePlace, _ found: Findings, seed: UInt64) throws {
    stores = [try place.open(), try place.open()]
    (self.found, random) = (found, SeededGenerator(state: seed))
  }

  mutating func run(steps: Int) throws {
    while step < steps, found.all.isEmpty {
      step += 1
      model.now = step
      let what = try take(stores.randomElement(using: &random)!)
      try compare(after: what)
    }
  }

  private var now: TimeInterval { TimeInterval(step) }

  private mutating func take(_ stores: Stores) throws -> String {
    let draft = Self.drafts.randomElement(using: &random)!
    switch Int.random(in: 0..<17, using: &random) {
    case 0, 1, 2: return try pick(draft, stores)
    case 3, 4, 5: return try confirm(draft, stores)
    case 6: return try tell(.failed(ticket(of: draft), code: "corrupt"), draft, stores)
    case 7: return try tell(.remove, draft, stores)
    case 8: return try look(draft, stores)
    case 9: return try tell(seldom(draft), draft, stores)
    case 10: return try join(stores)
    case 11, 12: return try attach(draft, stores)
    case 13: return try remove(stores)
    case 14:
      try stores.catalog.keepAlive(draft: draft, at: moment(now))
      model.touch(draft)
      return "touch \(draft)"
    case 15: return try expire(stores)
    default: return try forget(stores)
    }
  }

  /// Returns a ticket, most often that of the attempt in progress.
  private mutating func ticket(of draft: String) -> Machine.Ticket {
    if case .loading(let ticket, _)? = model.machines[draft]?.state, Bool.random(using: &random) {
      return ticket
    }
    return tickets.randomElement(using: &random) ?? 0
  }

  private mutating func anyPhoto(_ photos: some Collection<UUID>) -> UUID {
    photos.sorted { $0.uuidString < $1.uuidString }.randomElement(using: &random) ?? UUID()
  }

  private mutating func seldom(_ draft: String) -> Machine.Event {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .expire
    case 1: return .restore(ownerAlive: true)
    case 2: return .restore(ownerAlive: false)
    case 3: return .forget(anyPhoto(model.photos.keys))
    case 4: return .pick(.max - Machine.Ticket(step))
    // A photo that another draft or the library shows.
    default: return .succeeded(ticket(of: draft), anyPhoto(model.photos.keys))
    }
  }

  private mutating func pick(_ draft: String, _ stores: Stores) throws -> String {
    let ticket = try stores.catalog.begin(draft: draft, at: moment(now))
    found.expect(!tickets.contains(ticket), "ticket \(ticket) is used twice")
    tickets.append(ticket)
    model.live.insert(ticket)
    model.handle(.pick(ticket), draft)
    return "pick \(draft)"
  }

  private mutating func tell(
    _ event: Machine.Event, _ draft: String, _ stores: Stores
  ) throws -> String {
    if case .succeeded(_, let photo) = event, model.photos[photo] == nil { return "nothing" }
    let applied = try stores.catalog.handle(event, draft: draft, at: moment(now))
    found.equal(applied.machine, model.handle(event, draft), "\(event) of \(draft)")
    try stores.giveUp(applied.gone)
    return "\(event) of \(draft)"
  }

  private mutating func confirm(_ draft: String, _ stores: Stores) throws -> String {
    let (ticket, number) = (ticket(of: draft), Int.random(in: 1...3, using: &random))
    let photo = try Stores.sample(number)
    try stores.put(number)
    let applied = try stores.confirm(photo, draft: draft, ticket: ticket, at: now)
    model.add(photo.uuid, .init(number: number))
    let expected = model.handle(.succeeded(ticket, photo.uuid), draft)
    found.equal(applied?.machine, expected, "confirming \(ticket) of \(draft)")
    try stores.giveUp(applied?.gone ?? [])
    if Bool.random(using: &random) {
      stores.catalog.end(ticket)
      model.live.remove(ticket)
    }
    return "confirm \(ticket) of \(draft)"
  }

  private mutating func look(_ draft: String, _ stores: Stores) throws -> String {
    if Bool.random(using: &random), let ticket = tickets.randomElement(using: &random) {
      stores.catalog.end(ticket)
      model.live.remove(ticket)
    }
    try stores.catalog.restore(draft: draft, at: moment(now))
    model.handle(.restore(ownerAlive: model.isOwnerAlive(draft)), draft)
    return "restore \(draft)"
  }

  private mutating func join(_ stores: Stores) throws -> String {
    let number = Int.random(in: 1...4, using: &random)
    let photo = try stores.join(number)
    model.add(photo.uuid, .init(number: number))
    model.library.insert(photo.uuid)
    return "join \(number)"
  }

  private mutating func attach(_ draft: String, _ stores: Stores) throws -> String {
    let (asset, id) = (anyPhoto(model.library), UUID())
    guard model.library.contains(asset), let number = model.photos[asset]?.number else {
      found.fails("attaching what is not there", with: .missingPhoto) {
        try stores.catalog.attach(asset: asset, as: id, draft: draft, at: moment(now)) { _ in }
      }
      return "attach nothing"
    }
    let done = try stores.catalog.attach(asset: asset, as: id, draft: draft, at: moment(now)) { _ in
    }
    model.add(id, .init(number: number, asset: asset))
    model.handle(.pick(.min), draft)
    found.equal(done.applied.machine, model.handle(.succeeded(.min, id), draft), "attaching")
    found.equal(done.photo.text("assetIdentifier"), asset.uuidString, "the photo's origin")
    try stores.giveUp(done.applied.gone)
    return "attach \(number) to \(draft)"
  }

  private mutating func remove(_ stores: Stores) throws -> String {
    let photo = anyPhoto(model.photos.keys)
    try stores.giveUp(try stores.catalog.remove(photo: photo, at: moment(now)))
    model.remove(photo)
    return "remove \(photo)"
  }

  private mutating func forget(_ stores: Stores) throws -> String {
    let asset = anyPhoto(model.library)
    guard model.library.contains(asset) else {
      found.fails("forgetting what is not there", with: .missingPhoto) {
        try stores.catalog.forget(asset: asset)
      }
      return "forget nothing"
    }
    let done = try stores.catalog.forget(asset: asset)
    found.equal(done.drafts, model.forget(asset), "the drafts that picked it")
    try stores.giveUp(done.gone)
    return "forget"
  }

  private mutating func expire(_ stores: Stores) throws -> String {
    let limit = Int.random(in: max(1, step - 12)...step, using: &random)
    let done = try stores.catalog.expire(
      before: moment(TimeInterval(limit)), believable: moment(-1000)...moment(now), dryRun: false)
    found.equal(done.drafts, model.expire(before: limit), "drafts that expire before \(limit)")
    try stores.giveUp(done.gone)
    return "expire before \(limit)"
  }

  private func compare(after what: String) throws {
    for (index, store) in stores.enumerated() {
      let at = "step \(step), \(what), store \(index)"
      for draft in Self.drafts {
        let record = try store.catalog.attachment(draft: draft)
        let machine = model.machines[draft]
        found.equal(record?.machine, machine, "\(draft) at \(at)")
        found.equal(record?.photo?.id, machine?.photo?.uuidString, "photo of \(draft) at \(at)")
        found.equal(
          record?.isOwnerAlive ?? false, model.isOwnerAlive(draft), "owner of \(draft) at \(at)")
      }
      // The stores take turns at returning everything, because it takes long.
      if step % stores.count != index { continue }
      let photos = try store.photos()
      found.equal(photos.map(\.id), model.order.map(\.uuidString), "photos at \(at)")
      found.equal(
        photos.map { $0.text("assetIdentifier") },
        model.order.map { model.photos[$0]?.asset?.uuidString }, "origins at \(at)")
      found.equal(
        try store.photos(attachedOnly: true).map(\.id),
        model.order.filter(model.isAttached).map(\.uuidString), "attached at \(at)")
    }
    for number in 1...4 {
      let known = try stores[0].catalog.known(sha256: Stores.digest(number))?.knowledge.photo
      found.equal(known, model.known(number), "photo \(number) in the library, step \(step)")
    }
    found.expect(try stores[1].catalog.damages().isEmpty, "entries are damaged after \(what)")
    found.equal(try stores[0].listed(), model.referenced, "pictures at step \(step), \(what)")
  }
}

extension StoreRule {
  static let walking = [UInt64(1), 2, 3].map { seed in
    Self("Two stores over one place say after each event what the model says, walk \(seed)") {
      var walk = try StoreWalk($0, $1, seed: seed)
      try walk.run(steps: 60)
    }
  }
}
