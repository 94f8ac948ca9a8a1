import Foundation
import ImageContainers
import PhotoIngestion
import StoreConformance
import TestPictures
import TestStores
import Testing

@testable import PhotoAttachments

@Suite("A dry run returns what a run would, and changes nothing", .serialized)
struct DryRunCatalogTests {
  /// Two equal catalogs: one for a run, the other for a dry run.
  struct Pair {
    let (real, base): (Catalog, Catalog)
    private let caches = [TemporaryCache(), TemporaryCache()]

    init() throws { (real, base) = (try caches[0].open().catalog, try caches[1].open().catalog) }

    /// Records a decision in both catalogs before the run.
    func record(_ decision: GroupDecision) throws {
      for catalog in [real, base] {
        _ = try catalog.record(GroupQuery()) { _ in
          decision
        } naming: { _ in
        }
      }
    }
  }

  /// Returns the new photo with this number.
  private static func photo(_ number: Int) throws -> GroupDecision.NewPhoto {
    let prepared = PreparedPhoto.sample(number)
    let record = try SealedRecord(
      PhotoAttachmentMetadata(
        id: UUID(uuidString: "00000000-0000-4000-8000-00000000000\(number)")!,
        facts: prepared.facts, assetIdentifier: nil, cachedURL: URL(fileURLWithPath: "/"),
        savedAt: Date(milliseconds: 0), blob: StoredPicture(prepared.blob, at: blob(number)),
        preview: StoredPicture(
          prepared.preview,
          at: BlobPath(.preview, sha256: prepared.preview.sha256, format: .png)!)))
    return .init(record: record, perceptualHash: UInt64(number))
  }

  private static func blob(_ number: Int) -> BlobPath {
    BlobPath(.blob, sha256: EncodedPicture.png(number).sha256, format: .png)!
  }

  private static func digest(_ number: Int) -> String { PreparedPhoto.sample(number).source.sha256 }

  private static func identity(_ number: Int) -> FileIdentity {
    FileIdentity(device: 1, inode: Int64(number), size: number, modified: 7)
  }

  private static func source(
    _ path: String, _ identity: Int, digest number: Int, _ knowledge: SourceKnowledge
  ) -> SourceRecord {
    SourceRecord(
      path: Array(path.utf8), identity: Self.identity(identity), sha256: digest(number),
      knowledge: knowledge)
  }

  private static let refusal = SourceKnowledge.refused(.photo(.corrupt(what: "x")))

  /// Returns the decision before the run: photo 1 of `/1`, and refusals.
  private static func before() throws -> GroupDecision {
    let photo = try photo(1)
    var decision = GroupDecision()
    decision.photos = [photo]
    decision.sources = [
      source("/1", 1, digest: 1, .photo(photo.record.uuid, nil)),
      source("/refused", 2, digest: 2, refusal), source("/other", 3, digest: 3, refusal),
    ]
    return decision
  }

  /// Returns the groups of a run, one after the other.
  private static func run() throws -> [GroupDecision] {
    let (one, two, three) = (try photo(1).record.uuid, try photo(2), try photo(3))
    var first = GroupDecision()
    first.photos = [two]
    first.sources = [
      // A digest that was refused before is now a photo.
      source("/2", 12, digest: 2, .photo(two.record.uuid, nil)),
      source("/2 again", 13, digest: 2, .photo(two.record.uuid, .bytes)),
      source("/1 pixels", 14, digest: 4, .photo(one, .pixels)),
      source("/bad", 15, digest: 5, refusal),
    ]
    var second = GroupDecision()
    second.photos = [three]
    // Another file has replaced the first one, and a file that was refused is now forgotten.
    second.sources = [
      source("/1", 21, digest: 3, .photo(three.record.uuid, nil)),
      source("/2", 22, digest: 7, refusal),
      source("/bad too", 23, digest: 8, .photo(three.record.uuid, .pixels)),
    ]
    second.forgotten = [Array("/other".utf8), Array("/2 again".utf8)]
    return [first, second]
  }

  /// Every path with every identity.
  private static let files: [(path: [UInt8], identity: FileIdentity)] =
    ["/1", "/2", "/2 again", "/1 pixels", "/bad", "/bad too", "/refused", "/other", "/new"]
    .flatMap { path in
      [1, 2, 3, 12, 13, 14, 15, 21, 22, 23].map { (Array(path.utf8), identity($0)) }
    }

  private static func question() throws -> GroupQuery {
    var question = GroupQuery()
    question.digests = Set((1...9).map(digest))
    question.blobs = Set((1...9).map(blob))
    question.photos = Set(try (1...3).map { try photo($0).record.uuid } + [UUID()])
    return question
  }

  @Test("Lookups and knowledge after each group are those of a run")
  func answers() throws {
    let pair = try Pair()
    try pair.record(try Self.before())
    let dry = LibraryCatalog(pair.base, dryRun: true)
    try compare(dry, pair.real, "before")
    for (number, decision) in try Self.run().enumerated() {
      for catalog in [LibraryCatalog(pair.real), dry] {
        var named: [GroupDecision] = []
        let recorded = try catalog.record(GroupQuery()) { _ in
          decision
        } naming: {
          named.append($0)
        }
        #expect(recorded == decision)
        #expect(named == [decision])
      }
      try compare(dry, pair.real, "group \(number)")
    }
  }

  private func compare(
    _ dry: LibraryCatalog, _ real: Catalog, _ when: Comment
  ) throws {
    let (told, expected) = (try dry.lookups(of: Self.files), try real.lookups(of: Self.files))
    for (file, (told, expected)) in zip(Self.files, zip(told, expected)) {
      let name = "\(String(decoding: file.path, as: UTF8.self)) \(file.identity.inode), \(when)"
      #expect(told?.isSamePath == expected?.isSamePath, "\(name)")
      #expect(told?.record.knowledge == expected?.record.knowledge, "\(name)")
    }
    for number in 1...9 {
      #expect(
        try dry.known(sha256: Self.digest(number))?.knowledge
          == real.known(sha256: Self.digest(number))?.knowledge, when)
    }
    let question = try Self.question()
    var (own, other) = (try dry.knowledge(of: question), try real.knowledge(of: question))
    // The records of this run's photos differ because their pictures count as lost: a dry run stores none.
    (own.records, other.records) = ([:], [:])
    #expect(own == other, when)
  }

  @Test("Known photos stay known, with their pictures")
  func whatIsKnown() throws {
    let pair = try Pair()
    try pair.record(try Self.before())
    let dry = LibraryCatalog(pair.base, dryRun: true)
    for decision in try Self.run() {
      _ = try dry.record(GroupQuery()) { _ in
        decision
      } naming: { _ in
      }
    }
    #expect(try dry.known(sha256: Self.digest(1)) == pair.base.known(sha256: Self.digest(1)))
    #expect(try dry.known(sha256: Self.digest(1))?.blob?.place == Self.blob(1))
    #expect(try dry.known(sha256: Self.digest(2))?.blob == nil)
    let record = try Self.photo(1).record
    let preview = try record.metadata { URL(fileURLWithPath: "/" + $0.relativePath) }.preview
    let pictures = SealedRecord.Pictures(
      blob: StoredPicture(.png(9), at: Self.blob(9)), preview: preview, form: nil)
    let candidates = try dry.candidates(for: [(pictures, 1)])[0]
    #expect(candidates.map(\.id) == [record.id])
    #expect(try pair.base.candidates(for: [(pictures, 1)]) == [candidates])
  }

  @Test("The underlying catalog doesn't change")
  func nothingChanges() throws {
    let pair = try Pair()
    try pair.record(try Self.before())
    let dry = LibraryCatalog(pair.base, dryRun: true)
    for decision in try Self.run() {
      _ = try dry.record(try Self.question()) { _ in
        decision
      } naming: { _ in
      }
    }
    try compare(LibraryCatalog(pair.base), pair.real, "untouched")
    let photos = try pair.base.page(after: 0, limit: 99, attachedOnly: false)
    #expect(photos.map(\.fields) == [try Self.photo(1).record.fields])
  }

  @Test("A group whose decision or naming fails isn't recorded")
  func failures() throws {
    let pair = try Pair()
    let dry = LibraryCatalog(pair.base, dryRun: true)
    let decision = try Self.before()
    #expect(throws: StoreError.cancelled) {
      try dry.record(GroupQuery()) { _ in
        throw StoreError.cancelled
      } naming: {
        _ in
        Issue.record("named")
      }
    }
    #expect(throws: StoreError.cancelled) {
      try dry.record(GroupQuery()) { _ in
        decision
      } naming: { _ in
        throw StoreError.cancelled
      }
    }
    try compare(dry, pair.real, "nothing was recorded")
  }
}

extension SealedRecord {
  fileprivate var uuid: UUID { UUID(uuidString: id)! }
}
