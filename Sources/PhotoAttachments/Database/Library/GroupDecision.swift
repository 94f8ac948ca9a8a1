package import Foundation

/// The lookups that a decision on a group needs. A group is a batch of an import's files that is recorded in one
/// transaction (`Catalog.record`). `GroupResolver` makes the queries and the decisions.
package struct GroupQuery: Sendable, Equatable {
  /// The digests of the files.
  package var digests: Set<String> = []
  /// The blobs that would be new.
  package var blobs: Set<BlobPath> = []
  /// Photos that were in the library a moment ago.
  package var photos: Set<UUID> = []
  /// The staged pictures.
  package var pictures: Set<BlobPath> = []
  /// The marks that the files would have if their photos had been forgotten (`ErasureMark.file`).
  package var marks: Set<String> = []

  package init() {}
}

/// The catalog's answer to a `GroupQuery`.
package struct GroupKnowledge: Sendable, Equatable {
  /// The earlier results for digests of files.
  package var sources: [String: SourceKnowledge] = [:]
  /// The oldest library photo with each blob.
  package var blobs: [BlobPath: UUID] = [:]
  /// The queried photos that are in the library.
  package var library: Set<UUID> = []
  /// The records of photos that `sources` refers to.
  package var records: [UUID: SealedRecord] = [:]
  /// Pictures that some record refers to.
  package var referenced: Set<BlobPath> = []
  /// The queried marks that are on record.
  package var erased: Set<String> = []

  package init() {}
}

/// The changes that are recorded for a group.
package struct GroupDecision: Sendable, Equatable {
  /// A photo that joins the library.
  package struct NewPhoto: Sendable, Equatable {
    package var record: SealedRecord
    package var perceptualHash: UInt64

    package init(record: SealedRecord, perceptualHash: UInt64) {
      self.record = record
      self.perceptualHash = perceptualHash
    }
  }

  /// New pictures for a photo on record, and for every photo that shares its old blob.
  package struct Renewal: Sendable, Equatable {
    package var old: SealedRecord
    package var pictures: SealedRecord.Pictures

    package init(old: SealedRecord, pictures: SealedRecord.Pictures) {
      self.old = old
      self.pictures = pictures
    }
  }

  /// The result for a file, in imports that count files.
  package struct FileResult: Sendable, Equatable {
    package var outcome: ImportOutcome
    /// The file's size, and the number of its bytes that were read.
    package var (sizeBytes, bytesRead): (Int, Int)

    package init(_ outcome: ImportOutcome, sizeBytes: Int, bytesRead: Int) {
      self.outcome = outcome
      self.sizeBytes = sizeBytes
      self.bytesRead = bytesRead
    }
  }

  /// The new photos. They are recorded before `sources`, which refer to them.
  package var photos: [NewPhoto] = []
  package var renewals: [Renewal] = []
  /// The best date that the group has for each new or known photo.
  package var dates: [UUID: TakenDate] = [:]
  /// The new records of files. They replace existing records with the same path.
  package var sources: [SourceRecord] = []
  /// Paths whose records are deleted.
  package var forgotten: [[UInt8]] = []
  /// The results of the group's files, in order. Empty unless the import counts files.
  package var results: [FileResult] = []

  package init() {}
}
