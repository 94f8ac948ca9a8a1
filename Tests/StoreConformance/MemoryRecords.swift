import Foundation
import PhotoAttachments

/// The records of a `MemoryCatalog`, as a value: an act changes a copy.
struct MemoryRecords: HeldRecords, Sendable {
  struct Attachment: Sendable {
    var machine: AttachmentRecord.Machine
    var updated: Int64
  }

  struct LibraryEntry: Sendable {
    var hash: UInt64
    var seal: String

    init(_ photo: String, _ hash: UInt64) {
      self.hash = hash
      seal = Seal.library(photo: photo, perceptualHash: Int64(bitPattern: hash))
    }
  }

  /// In the order of recording.
  var photos: [SealedRecord] = []
  var attachments: [String: Attachment] = [:]
  var library: [String: LibraryEntry] = [:]
  var sources: [[UInt8]: SourceRecord] = [:]
  var erased: Set<String> = []
  var sizes: [SizeKey: (blob: String, size: StoredSize)] = [:]
  var isYounger = false
  var lastTicket: Int64 = 0
  var live: Set<Int64> = []
  private var lastSequence: Int64 = 0
  /// What became of attachments in this act, in order.
  var changed: [AttachmentRecord] = []
  var fault: MemoryCatalog.Fault?

  func photo(_ id: String) -> SealedRecord? { photos.first { $0.id == id } }

  func photo(sequence: Int64) throws(StoreError) -> SealedRecord? {
    photos.first { $0.sequence == sequence }
  }

  func isReferenced(_ place: BlobPath) -> Bool {
    photos.contains { $0.place(place.kind) == place }
      || sizes.values.contains { $0.size.isStored && $0.size.picture.place == place }
  }

  func isReferenced(digest: String) throws(StoreError) -> Bool {
    photos.contains { $0.text("blobSHA256") == digest || $0.text("previewSHA256") == digest }
  }

  func isAttached(_ id: String) -> Bool {
    attachments.values.contains { $0.machine.photo?.uuidString == id }
  }

  mutating func insert(_ photo: SealedRecord) {
    var photo = photo
    if fault == .sealsOtherFields {
      photo = photo.with(["seal": .text(Seal.photo(photo.with(["uti": .null]).fields))])
    }
    if fault == .losesForms { photo = photo.with(["form": .null]) }
    lastSequence += 1
    photos.append(SealedRecord(sequence: lastSequence, fields: photo.fields))
  }

  mutating func replace(_ old: SealedRecord, by new: SealedRecord) {
    guard let index = photos.firstIndex(where: { $0.sequence == old.sequence }) else { return }
    photos[index].fields = new.fields
  }

  mutating func show(_ pictures: SealedRecord.Pictures, by old: SealedRecord) {
    for photo in photos where photo.isSealed && photo.place(.blob) == old.place(.blob) {
      replace(photo, by: photo.showing(pictures).sealedAnew)
    }
  }

  mutating func deleteUnreferenced(_ id: String) -> [BlobPath] {
    guard let photo = photo(id), library[id] == nil,
      !isAttached(id) || fault == .takesSharedPhotos
    else { return [] }
    photos.removeAll { $0.sequence == photo.sequence }
    if fault == .keepsSizes { return photo.places }
    let gone = sizes.filter { $0.key.photo.uuidString == id }
    for key in gone.keys { sizes[key] = nil }
    return photo.places + gone.values.map(\.size.picture.place)
  }

  // MARK: - Attachments

  func attachment(_ draft: String) -> AttachmentRecord? {
    guard let machine = attachments[draft]?.machine else { return nil }
    var isOwnerAlive = false
    if case .loading(let ticket, _) = machine.state { isOwnerAlive = live.contains(ticket) }
    return AttachmentRecord(
      draft: draft, machine: machine, isOwnerAlive: isOwnerAlive,
      photo: machine.photo.flatMap { photo($0.uuidString) })
  }

  /// Begins an attempt that ends in the same act.
  mutating func pick(_ draft: String, at now: Date) -> Int64 {
    lastTicket += 1
    _ = apply(.pick(lastTicket), to: draft, at: now)
    return lastTicket
  }

  mutating func apply(
    _ event: AttachmentRecord.Machine.Event, to draft: String, at now: Date
  ) -> Applied {
    let before = attachments[draft]?.machine ?? .init()
    var applied = Applied(machine: before)
    var event = event
    if fault == .takesAnyTicket, case .succeeded(_, let photo) = event,
      case .loading(let ticket, _) = before.state
    {
      event = .succeeded(ticket, photo)
    }
    let action = applied.machine.handle(event)
    if fault == .losesFailures { applied.machine = .init(applied.machine.state) }
    if applied.machine != before {
      attachments[draft] = Attachment(machine: applied.machine, updated: now.milliseconds)
    }
    if case .giveUp(let photo) = action { applied.gone = deleteUnreferenced(photo.uuidString) }
    if applied.machine.state != before.state { note(draft) }
    return applied
  }

  /// Notes that an attachment changed.
  mutating func note(_ draft: String) {
    if let record = attachment(draft) { changed.append(record) }
  }

  // MARK: - The library

  func knowledge(_ sha256: String) -> SourceKnowledge? {
    if let photo = photos.first(where: {
      library[$0.id] != nil && $0.text("sourceSHA256") == sha256
    }), let id = UUID(uuidString: photo.id) {
      return .photo(id, nil)
    }
    return sources.values.first { $0.sha256 == sha256 || fault == .knowsOtherDigests }?.knowledge
  }

  func blob(of knowledge: SourceKnowledge?) -> RecordedPicture? {
    knowledge?.photo.flatMap { photo($0.uuidString)?.recorded(.blob) }
  }

  func look(at path: [UInt8], _ identity: FileIdentity) -> SourceLook? {
    if let record = sources[path], record.identity == identity {
      return SourceLook(record: record, isSamePath: true, blob: blob(of: record.knowledge))
    }
    if fault == .looksAtPathsOnly { return nil }
    return sources.values.first { $0.identity == identity && $0.knowledge?.photo != nil }.map {
      SourceLook(record: $0, isSamePath: false, blob: blob(of: $0.knowledge))
    }
  }

  func knowledge(of question: GroupQuestion) -> GroupKnowledge {
    var knowledge = GroupKnowledge()
    for digest in question.digests {
      guard let known = self.knowledge(digest) else { continue }
      knowledge.sources[digest] = known
      if let id = known.photo { knowledge.records[id] = photo(id.uuidString) }
    }
    for blob in question.blobs {
      knowledge.blobs[blob] = photos.first { library[$0.id] != nil && $0.place(.blob) == blob }
        .flatMap { UUID(uuidString: $0.id) }
    }
    knowledge.library = question.photos.filter { library[$0.uuidString] != nil }
    knowledge.referenced = question.pictures.filter(isReferenced)
    knowledge.erased = fault == .losesMarks ? [] : erased.intersection(question.marks)
    return knowledge
  }

  /// Records a decision.
  ///
  /// - Throws: `StoreError.database("failed")` when an entry would name what is not there, or an id
  ///   is taken.
  mutating func take(_ decision: GroupDecision) throws(StoreError) {
    for renewal in decision.renewals { show(renewal.pictures, by: renewal.old) }
    for photo in decision.photos {
      guard self.photo(photo.record.id) == nil else {
        throw .database(what: "failed", detail: "id")
      }
      insert(photo.record)
      library[photo.record.id] = LibraryEntry(photo.record.id, photo.perceptualHash)
    }
    for source in decision.sources {
      guard let knowledge = source.knowledge,
        knowledge.photo.map({ library[$0.uuidString] != nil }) ?? true
      else { throw .database(what: "failed", detail: "source") }
      sources[source.path] = source
    }
    for path in decision.forgotten { sources[path] = nil }
  }

  func originals(ids: [String], sha256: String?) -> [NotedOriginal] {
    let noted = sources.values.filter { source in
      source.knowledge?.photo.map { ids.contains($0.uuidString) } ?? false
        || sha256 != nil && source.sha256 == sha256
    }.map { source in
      var isSource = false
      if case .photo(let id, nil)? = source.knowledge { isSource = ids.contains(id.uuidString) }
      return NotedOriginal(path: source.path, sha256: source.sha256, isSource: isSource)
    }
    return Array(
      noted.sorted {
        if fault == .originalsUnordered || $0.isSource == $1.isSource {
          return $0.path.lexicographicallyPrecedes($1.path)
        }
        return $0.isSource
      }.prefix(16))
  }

  // MARK: - Damage

  var damages: [EntryDamage] {
    var found: [EntryDamage] = []
    for (draft, attachment) in attachments {
      guard let id = attachment.machine.photo?.uuidString, photo(id) == nil else { continue }
      found.append(EntryDamage(.attachment(draft: draft), photo: id, isDangling: true))
    }
    for (id, entry) in library {
      let isSealed = LibraryEntry(id, entry.hash).seal == entry.seal
      if photo(id) == nil || !isSealed {
        found.append(EntryDamage(.library(photo: id), photo: id, isDangling: photo(id) == nil))
      }
    }
    for source in sources.values {
      guard case .photo(let id, let tier)? = source.knowledge else { continue }
      let isDangling = library[id.uuidString] == nil
      let digest = photo(id.uuidString)?.text("sourceSHA256")
      let isSealed = photo(id.uuidString)?.isSealed ?? false
      let contradicts = tier == nil && isSealed && digest != source.sha256
      if isDangling || contradicts {
        found.append(
          EntryDamage(
            .source(path: Data(source.path)), photo: id.uuidString, isDangling: isDangling))
      }
    }
    for photo in photos {
      guard let asset = photo.text("assetIdentifier"), library[asset] == nil else { continue }
      found.append(EntryDamage(.asset(photo: photo.id), photo: photo.id, isDangling: true))
    }
    return found
  }
}
