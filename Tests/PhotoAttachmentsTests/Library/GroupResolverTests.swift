import Foundation
import ImageContainers
import SystemPackage
import TestPictures
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion

@Suite("Deciding the outcome of a group of files, without a catalog")
struct GroupResolverTests {
  /// The IDs of new photos, in order of creation.
  private static let ids = (1...9).map {
    UUID(uuidString: "00000000-0000-4000-8000-00000000000\($0)")!
  }
  private let known = UUID()

  private static func digest(_ number: Int) -> String { sha256(of: [UInt8(number)]) }

  /// Returns a found file with the bytes of `number`.
  private static func found(
    _ name: String, _ number: Int?, _ verdict: ImportFinding.Verdict
  ) -> ImportFinding {
    let file = FoundFile(
      path: FilePath("/\(name)"), key: Array("/\(name)".utf8),
      identity: FileIdentity(device: 1, inode: 2, size: name.utf8.count, modified: 4),
      throughLink: false)
    return ImportFinding(path: .file(file, sha256: number.map(digest)), verdict: verdict)
  }

  /// Returns a prepared file with the bytes of `number` and the blob of `blob`.
  private static func staged(
    _ name: String, _ number: Int, blob: Int? = nil
  ) -> ImportFinding {
    found(name, number, .staged(photo(number, blob: blob ?? number)))
  }

  private static func photo(_ number: Int, blob: Int) -> StagedPhoto {
    var prepared = PreparedPhoto.sample(blob)
    prepared.facts.source.sha256 = digest(number)
    func stage(_ picture: EncodedPicture, _ kind: BlobPath.Kind) -> StagedPicture {
      StagedPicture(
        picture, at: BlobPath(kind, sha256: picture.sha256, format: .png)!,
        url: URL(fileURLWithPath: "/"), body: .bytes([]), handle: number)
    }
    return StagedPhoto(
      facts: prepared.facts, perceptualHash: UInt64(number), blob: stage(prepared.blob, .blob),
      preview: stage(prepared.preview, .preview))
  }

  /// Returns the photo that a prepared one becomes.
  private static func metadata(_ photo: StagedPhoto, _ id: UUID) -> PhotoAttachmentMetadata {
    PhotoAttachmentMetadata(
      id: id, facts: photo.facts, assetIdentifier: nil, cachedURL: URL(fileURLWithPath: "/"),
      savedAt: Date(milliseconds: 0), blob: photo.blob.picture, preview: photo.preview.picture)
  }

  private func judge(
    _ group: [ImportFinding], twins: [PixelTwin?] = [], lost: Set<UUID> = [],
    _ change: (inout GroupKnowledge) -> Void = { _ in }
  ) throws -> GroupResolver {
    var knowledge = GroupKnowledge()
    change(&knowledge)
    var count = 0
    return try GroupResolver(
      group, twins: twins.isEmpty ? group.map { _ in nil } : twins, knowledge: knowledge,
      lost: lost
    ) { staged in
      count += 1
      return Self.metadata(staged, Self.ids[count - 1])
    }
  }

  private func noted(
    _ judgement: GroupResolver
  ) -> [String: SourceKnowledge?] {
    Dictionary(
      judgement.decision.sources.map { (String(decoding: $0.path, as: UTF8.self), $0.knowledge) }
    ) { first, _ in first }
  }

  @Test("A new picture joins the library, with its source file")
  func new() throws {
    let finding = Self.staged("a", 1)
    let judged = try judge([finding])
    let photo = Self.metadata(Self.photo(1, blob: 1), Self.ids[0])
    #expect(judged.files.map(\.outcome) == [.imported(photo)])
    #expect(judged.files[0].path == "/a" && judged.files[0].sizeBytes == 1)
    #expect(
      judged.decision.photos == [.init(record: try SealedRecord(photo), perceptualHash: 1)])
    #expect(
      judged.decision.sources == [
        SourceRecord(
          path: Array("/a".utf8),
          identity: FileIdentity(device: 1, inode: 2, size: 1, modified: 4),
          sha256: Self.digest(1), knowledge: .photo(Self.ids[0], nil))
      ])
    #expect(judged.pictures.map(\.place) == finding.pictures.map(\.place))
    #expect(judged.spares.isEmpty && judged.decision.renewals.isEmpty)
    #expect(judged.decision.forgotten.isEmpty)
  }

  @Test("Files that are already reported or not ours leave nothing to record")
  func told() throws {
    let other = ImportedFile(path: "/link", sizeBytes: 0, outcome: .skipped(.linkLoop))
    let judged = try judge([
      Self.found("a", 1, .known(.unchanged(known))),
      ImportFinding(path: .other(other), verdict: .known(.skipped(.linkLoop))),
    ])
    #expect(judged.files.map(\.outcome) == [.unchanged(known), .skipped(.linkLoop)])
    #expect(judged.decision == GroupDecision())
    #expect(judged.pictures.isEmpty)
  }

  @Test("Within a group, files with equal bytes or blobs are duplicates of the first one")
  func duplicatesInTheGroup() throws {
    let judged = try judge([
      Self.staged("a", 1), Self.staged("bytes", 1),
      Self.found("later", 1, .duplicate(of: nil, .bytes)),
      Self.staged("pixels", 2, blob: 1), Self.staged("new", 3),
    ])
    #expect(
      judged.files.dropFirst().dropLast().map(\.outcome) == [
        .duplicate(of: Self.ids[0], tier: .bytes), .duplicate(of: Self.ids[0], tier: .bytes),
        .duplicate(of: Self.ids[0], tier: .pixels),
      ])
    #expect(judged.decision.photos.map(\.record.id) == Self.ids.prefix(2).map(\.uuidString))
    #expect(
      noted(judged) == [
        "/a": .photo(Self.ids[0], nil), "/bytes": .photo(Self.ids[0], .bytes),
        "/later": .photo(Self.ids[0], .bytes), "/pixels": .photo(Self.ids[0], .pixels),
        "/new": .photo(Self.ids[1], nil),
      ])
    #expect(judged.pictures.count == 4)
    #expect(judged.spares.isEmpty)
  }

  @Test(
    "Files with the bytes of a refused file are refused with it, even if they came as duplicates")
  func duplicateOfTheRefused() throws {
    let refusal = ImportRefusal.photo(.corrupt(what: "x"))
    let judged = try judge([
      Self.found("a", 1, .refused(refusal)), Self.found("b", 1, .duplicate(of: nil, .bytes)),
    ])
    #expect(judged.files.map(\.outcome) == [.failed(refusal), .failed(refusal)])
    #expect(noted(judged) == ["/a": .refused(refusal), "/b": .refused(refusal)])
  }

  @Test("A picture whose bytes or blob the library has in the meantime is a duplicate")
  func duplicatesInTheLibrary() throws {
    let group = [Self.staged("bytes", 1), Self.staged("pixels", 2)]
    let judged = try judge(group) { [known] in
      $0.sources[Self.digest(1)] = .photo(known, .pixels)
      $0.blobs[Self.photo(2, blob: 2).blob.place] = known
      $0.referenced = Set(group[0].pictures.map(\.place))
    }
    #expect(
      judged.files.map(\.outcome) == [
        .duplicate(of: known, tier: .bytes), .duplicate(of: known, tier: .pixels),
      ])
    #expect(judged.decision.photos.isEmpty && judged.decision.renewals.isEmpty)
    #expect(judged.pictures.isEmpty)
    // Pictures that existing records show are named, too, which repairs damaged ones.
    #expect(judged.spares.map(\.place) == group[0].pictures.map(\.place))
  }

  @Test("A picture with a twin is a duplicate of the twin if the library still has it")
  func twins() throws {
    let group = (1...5).map { Self.staged("\($0)", $0) }
    let gone = UUID()
    let judged = try judge(
      group, twins: [.inLibrary(known), .inLibrary(gone), .inGroup(1), nil, .inGroup(0)]
    ) { [known] in $0.library = [known] }
    #expect(judged.files[0].outcome == .duplicate(of: known, tier: .pixels))
    #expect(
      judged.files[1].outcome == .imported(Self.metadata(Self.photo(2, blob: 2), Self.ids[0])))
    #expect(judged.files[2].outcome == .duplicate(of: Self.ids[0], tier: .pixels))
    #expect(
      judged.files[3].outcome == .imported(Self.metadata(Self.photo(4, blob: 4), Self.ids[1])))
    // The twin of a duplicate is a duplicate of the same photo.
    #expect(judged.files[4].outcome == .duplicate(of: known, tier: .pixels))
  }

  @Test("A photo that lost its blob gets the one that was just made from the same bytes, once")
  func renewals() throws {
    let old = try SealedRecord(Self.metadata(Self.photo(1, blob: 7), known))
    let finding = Self.staged("a", 1)
    let judged = try judge([finding, Self.staged("b", 1)], lost: [known]) { [known] in
      $0.sources[Self.digest(1)] = .photo(known, nil)
      $0.records[known] = old
    }
    #expect(
      judged.decision.renewals == [
        .init(old: old, pictures: Self.photo(1, blob: 1).pictures)
      ])
    #expect(
      judged.files.map(\.outcome) == [
        .duplicate(of: known, tier: .bytes), .duplicate(of: known, tier: .bytes),
      ])
    // The pictures have to be named, although no new photo has them.
    #expect(Set(judged.spares.map(\.place)) == Set(finding.pictures.map(\.place)))
    #expect(judged.decision.photos.isEmpty && judged.pictures.isEmpty)
  }

  @Test("A photo isn't renewed if it has its blob, would get the same one, or was altered")
  func noRenewals() throws {
    let whole = try SealedRecord(Self.metadata(Self.photo(1, blob: 7), known))
    let same = try SealedRecord(Self.metadata(Self.photo(1, blob: 1), known))
    let cases: [(SealedRecord, Set<UUID>)] = [
      (whole, []), (same, [known]), (whole.with(["fileName": .text("altered")]), [known]),
    ]
    for (record, lost) in cases {
      let judged = try judge([Self.staged("a", 1)], lost: lost) { [known] in
        $0.sources[Self.digest(1)] = .photo(known, nil)
        $0.records[known] = record
        $0.referenced = Set(same.places)
      }
      #expect(judged.decision.renewals.isEmpty)
      #expect(judged.files.map(\.outcome) == [.duplicate(of: known, tier: .bytes)])
      // Naming restores the recorded blob itself.
      #expect(judged.spares.map(\.place) == same.places)
    }
  }

  @Test("A duplicate of a photo that was forgotten in the meantime is looked up by its bytes")
  func duplicateOfTheForgotten() throws {
    let (gone, other) = (UUID(), UUID())
    let refusal = ImportRefusal.photo(.empty)
    let judged = try judge([
      Self.found("there", 1, .duplicate(of: known, .pixels)),
      Self.found("other", 2, .duplicate(of: gone, .pixels)),
      Self.found("refused", 3, .duplicate(of: gone, .bytes)),
      Self.found("gone", 4, .duplicate(of: gone, .bytes)),
      Self.found("no digest", nil, .duplicate(of: gone, .bytes)),
    ]) { [known] in
      $0.library = [known]
      $0.sources = [Self.digest(2): .photo(other, nil), Self.digest(3): .refused(refusal)]
    }
    #expect(
      judged.files.map(\.outcome) == [
        .duplicate(of: known, tier: .pixels), .duplicate(of: other, tier: .pixels),
        .skipped(refusal), .skipped(.changing), .skipped(.changing),
      ])
    #expect(
      noted(judged) == [
        "/there": .photo(known, .pixels), "/other": .photo(other, .pixels),
        "/refused": .refused(refusal),
      ])
    #expect(judged.decision.forgotten == [Array("/gone".utf8), Array("/no digest".utf8)])
  }

  @Test("A moved file is recorded under its new path, with its previous outcome")
  func moved() throws {
    let judged = try judge([
      Self.found("a", 1, .moved(known, nil)), Self.found("b", 2, .moved(known, .pixels)),
    ])
    #expect(judged.files.map(\.outcome) == [.unchanged(known), .unchanged(known)])
    #expect(noted(judged) == ["/a": .photo(known, nil), "/b": .photo(known, .pixels)])
    #expect(judged.decision.forgotten.isEmpty)
  }

  @Test(
    "A refusal is recorded if the same bytes would be refused again; otherwise the path is forgotten",
    arguments: [
      (ImportRefusal.photo(.corrupt(what: "png-chunk-crc")), true, true),
      (.photo(.unsupportedFormat(detected: "text/plain")), false, true),
      (.photo(.empty), false, true), (.photo(.timeout(seconds: 3)), true, false),
      (.photo(.corrupt(what: "decoder-crash")), true, false),
      (.photo(.unreadable(.system(errno: EACCES))), true, false),
      (.photo(.shortage(errno: EMFILE)), true, false),
      (.changing, false, false),
    ])
  func refusals(_ refusal: ImportRefusal, isFailure: Bool, isPermanent: Bool) throws {
    let judged = try judge([Self.found("a", 1, .refused(refusal))])
    #expect(judged.files.map(\.outcome) == [isFailure ? .failed(refusal) : .skipped(refusal)])
    #expect(noted(judged) == (isPermanent ? ["/a": .refused(refusal)] : [:]))
    #expect(judged.decision.forgotten == (isPermanent ? [] : [Array("/a".utf8)]))
    #expect(judged.decision.photos.isEmpty)
  }

  @Test("The query asks for exactly what the decision needs")
  func question() {
    let (one, two) = (UUID(), UUID())
    let group = [
      Self.staged("a", 1), Self.found("b", 2, .duplicate(of: one, .bytes)),
      Self.found("c", nil, .duplicate(of: nil, .bytes)), Self.found("d", 3, .moved(UUID(), nil)),
      Self.found("e", 4, .refused(.hidden)), Self.found("f", 5, .known(.unchanged(UUID()))),
      Self.staged("g", 6),
    ]
    let question = GroupResolver.query(
      group, twins: [.inLibrary(two), nil, nil, nil, nil, nil, .inGroup(0)])
    #expect(question.digests == Set([1, 2, 6].map(Self.digest)))
    #expect(question.photos == [one, two])
    let places = [1, 6].map { Self.photo($0, blob: $0) }
    #expect(question.blobs == Set(places.map(\.blob.place)))
    #expect(question.pictures == Set(places.flatMap { [$0.blob.place, $0.preview.place] }))
    #expect(GroupResolver.query([], twins: []) == GroupQuery())
  }
}
