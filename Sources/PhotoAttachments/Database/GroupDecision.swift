package import Foundation

/// What has to be known to decide on a group.
package struct GroupQuery: Sendable, Equatable {
  /// Digests of the files.
  package var digests: Set<String> = []
  /// Blobs that would be new.
  package var blobs: Set<BlobPath> = []
  /// Photos that were in the library a moment ago.
  package var photos: Set<UUID> = []
  /// Pictures that are staged.
  package var pictures: Set<BlobPath> = []
  /// Marks that files would have whose photos were forgotten (`ErasureMark.file`).
  package var marks: Set<String> = []

  package init() {}
}

/// What a catalog knows of what was asked.
package struct GroupKnowledge: Sendable, Equatable {
  /// What digests of files came to.
  package var sources: [String: SourceKnowledge] = [:]
  /// The oldest library photo with this blob.
  package var blobs: [BlobPath: UUID] = [:]
  /// Those that are in the library.
  package var library: Set<UUID> = []
  /// The records of photos that `sources` names.
  package var records: [UUID: SealedRecord] = [:]
  /// Pictures that some record refers to.
  package var referenced: Set<BlobPath> = []
  /// Those of the marks that are on record.
  package var erased: Set<String> = []

  package init() {}
}

/// What is recorded of a group.
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

  /// A photo on record that gets another blob, and with it every photo that shares the old one.
  package struct Renewal: Sendable, Equatable {
    package var old: SealedRecord
    package var pictures: SealedRecord.Pictures

    package init(old: SealedRecord, pictures: SealedRecord.Pictures) {
      self.old = old
      self.pictures = pictures
    }
  }

  /// What became of a file, for an import that counts files.
  package struct FileResult: Sendable, Equatable {
    package var outcome: ImportOutcome
    /// The file's size, and how many bytes of it were read.
    package var (sizeBytes, bytesRead): (Int, Int)

    package init(_ outcome: ImportOutcome, sizeBytes: Int, bytesRead: Int) {
      self.outcome = outcome
      self.sizeBytes = sizeBytes
      self.bytesRead = bytesRead
    }
  }

  /// Recorded before `sources`, which refer to them.
  package var photos: [NewPhoto] = []
  package var renewals: [Renewal] = []
  /// Takes the place of what was known of the same path.
  package var sources: [SourceRecord] = []
  /// Paths that nothing is known of any more.
  package var forgotten: [[UInt8]] = []
  /// What became of each file of the group, in its order; only where files are counted.
  package var results: [FileResult] = []

  package init() {}
}
