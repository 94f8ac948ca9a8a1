package import Foundation

/// What is known of a file that an import looked at: the photo it became or equals, or why it was
/// refused.
package struct SourceRecord: Sendable, Equatable {
  /// Absolute path, any bytes.
  package var path: [UInt8]
  package var identity: FileIdentity
  /// SHA-256 of the file; nil when it was refused by its first bytes.
  package var sha256: String?
  /// What it came to; nil when that cannot be read any more.
  package var knowledge: SourceKnowledge?

  package init(
    path: [UInt8], identity: FileIdentity, sha256: String?, knowledge: SourceKnowledge?
  ) {
    self.path = path
    self.identity = identity
    self.sha256 = sha256
    self.knowledge = knowledge
  }
}

/// What an earlier look at a file, or at equal bytes, found.
package enum SourceKnowledge: Equatable, Sendable {
  /// It became this library photo, or equals it; nil for the file that the photo was made from.
  case photo(UUID, ImportOutcome.DuplicateTier?)
  case refused(ImportRefusal)

  package var photo: UUID? { if case .photo(let id, _) = self { id } else { nil } }
}

/// A picture as a record describes it.
package struct RecordedPicture: Sendable, Equatable {
  package var place: BlobPath
  package var sizeBytes: Int

  package init(_ place: BlobPath, sizeBytes: Int) {
    self.place = place
    self.sizeBytes = sizeBytes
  }
}

/// Something known, and the blob of the photo that it names.
package struct KnownSource: Sendable, Equatable {
  package var knowledge: SourceKnowledge
  /// Nil when it names no photo, or one whose record says no possible place.
  package var blob: RecordedPicture?

  package init(_ knowledge: SourceKnowledge, blob: RecordedPicture?) {
    self.knowledge = knowledge
    self.blob = blob
  }
}

/// What is known of a file before it is read.
package struct SourceLookup: Sendable, Equatable {
  /// The record of this file, or of the same one under another name.
  package var record: SourceRecord
  /// Whether it is known under the very path.
  package var isSamePath: Bool
  /// The blob of the photo that it names.
  package var blob: RecordedPicture?
}
