package import PhotoAttachments

/// The counts of a move. Each photo and entry is counted once.
package struct MoveSummary: Sendable, Equatable {
  /// Photos that were copied, and photos that the target already had.
  package var moved = 0
  package var alreadyThere = 0
  /// Photos whose picture is missing in the source. Like the two kinds below, they are skipped together with all rows
  /// that refer to them, unless the target takes them nevertheless (`StoreMove.Side.takesAll`).
  package var missing = 0
  /// Photos whose picture can't be read.
  package var unreadable = 0
  /// Photos whose record or picture was altered.
  package var damaged = 0
  /// Photos whose picture couldn't be read from or written to a backup folder.
  package var unstored = 0
  /// Pictures that were copied, and their bytes.
  package var pictures = 0
  package var bytes = 0
  /// Other rows (`MovedKind`) that were copied, and rows that the target already had.
  package var entries = 0
  package var entriesThere = 0
  /// Entries that were skipped because they refer to a skipped row or break a rule between announcements.
  package var leftOut = 0
  /// Photos and entries that were skipped or deleted because they were erased or forgotten in one of the two stores.
  package var erased = 0
  /// Entries that differ in the target and stay there unchanged.
  package var differing = 0
  /// The sequence number of the last photo that was read.
  var lastPhoto: Int64 = 0
  /// `true` if the move was stopped early.
  package var isStopped = false

  /// `true` if the target contains everything from the source.
  package var isDone: Bool { !isStopped && problems + unstored + leftOut + differing == 0 }

  /// The number of photos that are incomplete or damaged in the source.
  package var problems: Int { missing + unreadable + damaged }

  package init() {}
}

/// A photo that is incomplete or damaged in the source.
package struct UnmovedPhoto: Sendable, Equatable {
  package var id: String
  package var fileName: String
  /// The problem with its picture or record.
  package var problem: PictureFate
}

/// An entry that differs in the target.
package struct DifferingEntry: Sendable, Equatable {
  /// The kind of the entry, or `nil` for the secret of the stores.
  package var kind: MovedKind?
  package var key: [FieldValue]
  package var fields: [String]

  /// The key as text.
  package var name: String {
    key.map { value in
      switch value {
      case .data(let path): String(decoding: path, as: UTF8.self)
      default: value.text ?? ""
      }
    }.joined(separator: " ")
  }
}
