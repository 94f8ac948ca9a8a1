package import Foundation
package import PhotoAttachments

/// All records of a moment, as a backup keeps them: photos in the order in which they were recorded, rows of
/// each kind, and the store's secret.
package struct Snapshot: Sendable {
  package var secret = Data()
  package var photos: [SealedRecord] = []
  package var rows: [MovedKind: [MovedRow]] = [:]

  /// Marks of what was erased.
  package var marks: Set<String> {
    Set((rows[.erasures] ?? []).compactMap { $0.fields["mark"]?.text })
  }

  /// Returns the snapshot without what has one of these marks, and with the marks themselves.
  package func erasing(_ marks: Set<String>) -> Snapshot {
    var left = self
    left.photos.removeAll { marks.contains(ErasureMark.photo($0.id)) }
    for kind in MovedKind.allCases {
      left.rows[kind]?.removeAll { !marks.isDisjoint(with: $0.marks(kind)) }
    }
    left.rows[.erasures] = marks.sorted().map { MovedRow(.erasures, [.text($0), .text($0)]) }
    return left
  }
}

// MARK: - As a file

/// A snapshot's file has an object of JSON a line, each with the fields of a record: `{"secret":…}`, then
/// `{"photo":[…]}` and `{"KIND":[…]}`, with the values in the order that a line of names gave before.
extension Snapshot {
  private struct Line: Codable {
    var secret: Data?
    /// What the rows that follow are, and their columns.
    var kind: String?
    var columns: [String]?
    var row: [Value]?
  }

  /// A value; real numbers and bytes say what they are, so that each is read as it was.
  private struct Value: Codable {
    let field: FieldValue

    private enum Key: String, CodingKey { case real, bytes }

    init(_ field: FieldValue) { self.field = field }

    init(from decoder: any Decoder) throws {
      // The commonest first: each wrong guess costs an error.
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        field = .null
      } else if let text = try? value.decode(String.self) {
        field = .text(text)
      } else if let number = try? value.decode(Int64.self) {
        field = .int(number)
      } else {
        let keyed = try decoder.container(keyedBy: Key.self)
        let number = try keyed.decodeIfPresent(Double.self, forKey: .real)
        field = try number.map(FieldValue.double) ?? .data(keyed.decode(Data.self, forKey: .bytes))
      }
    }

    func encode(to encoder: any Encoder) throws {
      switch field {
      case .null:
        var value = encoder.singleValueContainer()
        try value.encodeNil()
      case .int(let number): try number.encode(to: encoder)
      case .text(let text): try text.encode(to: encoder)
      case .double(let number):
        var keyed = encoder.container(keyedBy: Key.self)
        try keyed.encode(number, forKey: .real)
      case .data(let data):
        var keyed = encoder.container(keyedBy: Key.self)
        try keyed.encode(data, forKey: .bytes)
      }
    }
  }

  private static let photoColumns = ["sequence"] + SealedRecord.columns

  /// The file's bytes.
  package func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    var bytes = Data()
    func add(_ line: Line) throws {
      bytes += try encoder.encode(line)
      bytes.append(UInt8(ascii: "\n"))
    }
    try add(Line(secret: secret))
    try add(Line(kind: "photo", columns: Self.photoColumns))
    for photo in photos {
      let values = SealedRecord.columns.map { photo.fields[$0] ?? .null }
      try add(Line(row: ([.int(photo.sequence)] + values).map(Value.init)))
    }
    for kind in MovedKind.allCases {
      try add(Line(kind: kind.rawValue, columns: kind.order + kind.fields))
      for row in rows[kind] ?? [] {
        try add(Line(row: (row.place + row.values(kind)).map(Value.init)))
      }
    }
    return bytes
  }

  /// Reads a file.
  ///
  /// - Throws: `DecodingError` for one that this version of the program didn't write.
  package init(encoded bytes: Data) throws {
    let decoder = JSONDecoder()
    var kind: MovedKind?
    for text in bytes.split(separator: UInt8(ascii: "\n")) {
      let line = try decoder.decode(Line.self, from: text)
      if let secret = line.secret {
        self.secret = secret
      } else if let name = line.kind {
        kind = MovedKind(rawValue: name)
        let known = kind.map { $0.order + $0.fields } ?? (name == "photo" ? Self.photoColumns : [])
        guard line.columns == known else { throw Self.unknown("other columns of \(name)") }
      } else if let row = line.row?.map(\.field) {
        if let kind {
          rows[kind, default: []].append(MovedRow(kind, row))
        } else {
          let fields = zip(SealedRecord.columns, row.dropFirst())
          photos.append(
            SealedRecord(
              sequence: row.first?.number ?? 0, fields: Dictionary(uniqueKeysWithValues: fields)))
        }
      }
    }
    if secret.isEmpty { throw Self.unknown("no secret") }
  }

  private static func unknown(_ what: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: what))
  }
}

/// A snapshot with its pictures, to be moved from.
package struct SnapshotSource: MoveSource {
  package let snapshot: Snapshot
  package let blobs: any BlobStorage

  package init(_ snapshot: Snapshot, blobs: any BlobStorage) {
    (self.snapshot, self.blobs) = (snapshot, blobs)
  }

  package func photos(after sequence: Int64, limit: Int) -> [SealedRecord] {
    let start = snapshot.photos.firstIndex { $0.sequence > sequence } ?? snapshot.photos.count
    return Array(snapshot.photos[start...].prefix(limit))
  }

  package func rows(_ kind: MovedKind, after place: [FieldValue]?, limit: Int) -> [MovedRow] {
    let rows = snapshot.rows[kind] ?? []
    let last = place.flatMap { place in rows.firstIndex { $0.place == place } }
    return Array(rows[(last.map { $0 + 1 } ?? 0)...].prefix(limit))
  }

  package func secret() -> Data { snapshot.secret }
}
