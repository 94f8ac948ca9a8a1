package import PhotoAttachments

/// What a move did and found; each photo and entry is counted once.
package struct MoveSummary: Sendable, Equatable {
  /// Photos that were recorded, and that were there already.
  package var (moved, alreadyThere) = (0, 0)
  /// Photos whose picture the source doesn't have. They and the two kinds below are left out together with all
  /// rows that refer to them, except in a snapshot.
  package var missing = 0
  /// Photos whose picture can't be read.
  package var unreadable = 0
  /// Photos whose record or picture was altered.
  package var damaged = 0
  /// Photos whose picture a folder of backups couldn't look at or take.
  package var unstored = 0
  /// Pictures that were copied, and their bytes.
  package var (pictures, bytes) = (0, 0)
  /// What else is on record (`MovedKind`): recorded, and there already.
  package var (entries, entriesThere) = (0, 0)
  /// Entries that stay out because what they refer to does, or a rule between announcements.
  package var leftOut = 0
  /// Photos and entries that stay out because they were erased or forgotten in one of the two.
  package var erased = 0
  /// Entries that the target has in another state, which it keeps.
  package var differing = 0
  /// The number of the last photo that was read.
  var lastPhoto: Int64 = 0
  /// Whether it was ended early.
  package var isStopped = false

  /// Whether everything of the source is in the target.
  package var isDone: Bool { !isStopped && problems + unstored + leftOut + differing == 0 }

  /// Photos that are not whole in the source.
  package var problems: Int { missing + unreadable + damaged }

  package init() {}
}

/// A photo that is not whole in the source.
package struct UnmovedPhoto: Sendable, Equatable {
  package var id: String
  package var fileName: String
  /// What is wrong with its picture, or with its record.
  package var problem: PictureFate
}

/// An entry that the target has in another state.
package struct DifferingEntry: Sendable, Equatable {
  /// What it is; nil for the secret of the stores.
  package var kind: MovedKind?
  /// What names it.
  package var key: [FieldValue]
  /// The fields that differ.
  package var fields: [String]

  /// What names it, as text.
  package var name: String {
    key.map { value in
      switch value {
      case .data(let path): String(decoding: path, as: UTF8.self)
      default: value.text ?? ""
      }
    }.joined(separator: " ")
  }
}
