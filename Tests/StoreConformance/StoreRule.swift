import Foundation
package import PhotoAttachments
import Testing

/// A place where a pair of stores under test keeps records and pictures; it is empty.
package struct StorePlace: Sendable {
  /// Opens the place, once more each time, as another process would.
  package let open: @Sendable () throws -> Stores
  /// How many pictures are staged.
  package let staged: @Sendable () throws -> Int
  /// Loses the record of the photo with this id and nothing else, as damage does.
  package let loseRecord: @Sendable (_ photo: String) throws -> Void
  /// Puts other bytes under a picture's name, as damage does.
  package let damage: @Sendable (_ place: BlobPath, _ bytes: [UInt8]) throws -> Void
  /// Ways in which calls fail.
  package let breakdowns: [Breakdown]

  package init(
    open: @escaping @Sendable () throws -> Stores, staged: @escaping @Sendable () throws -> Int,
    loseRecord: @escaping @Sendable (_ photo: String) throws -> Void,
    damage: @escaping @Sendable (_ place: BlobPath, _ bytes: [UInt8]) throws -> Void,
    breakdowns: [Breakdown]
  ) {
    (self.open, self.staged, self.breakdowns) = (open, staged, breakdowns)
    (self.loseRecord, self.damage) = (loseRecord, damage)
  }

  /// A way in which calls fail.
  package struct Breakdown: Sendable {
    package let name: String
    /// Names of the calls that fail.
    package let calls: Set<String>
    /// Lets the next call of this name fail.
    package let begin: @Sendable (_ call: String) throws -> Void
    /// Lets it succeed again.
    package let end: @Sendable () throws -> Void

    package init(
      _ name: String, calls: Set<String>,
      begin: @escaping @Sendable (_ call: String) throws -> Void,
      end: @escaping @Sendable () throws -> Void
    ) {
      (self.name, self.calls, self.begin, self.end) = (name, calls, begin, end)
    }

    /// Folders that pictures are written to are files.
    package static func foldersAreNone(_ paths: [String]) -> Self {
      Self(
        "folders are none", calls: ["put", "stage", "name", "quarantine"],
        begin: { _ in
          for path in paths {
            rename(path, path + ".away")
            try Data().write(to: URL(fileURLWithPath: path))
          }
        },
        end: {
          for path in paths {
            unlink(path)
            rename(path + ".away", path)
          }
        })
    }

    /// Calls that change a catalog.
    package static let catalogCalls: Set<String> = [
      "begin", "handle", "restore", "confirm", "attach", "remove", "forget", "touch", "expire",
      "record", "release", "replace", "remake", "letGo", "correctSource", "setPerceptualHash",
    ]
    /// Calls that change a storage.
    package static let storageCalls: Set<String> = ["put", "stage", "name", "delete", "quarantine"]
  }
}

/// A catalog and a storage that were opened.
package struct Stores: Sendable {
  package let catalog: Catalog
  package let storage: any BlobStorage

  package init(catalog: Catalog, storage: any BlobStorage) {
    (self.catalog, self.storage) = (catalog, storage)
  }
}

/// One rule of `Catalog` and `BlobStorage` that every pair of stores has to keep: give each of
/// `all` to a test as its argument, and expect that it finds nothing in a new place.
package struct StoreRule: Sendable, CustomTestStringConvertible {
  /// The rule in a sentence.
  package let testDescription: String
  private let check: @Sendable (StorePlace, Findings) throws -> Void

  init(_ sentence: String, check: @escaping @Sendable (StorePlace, Findings) throws -> Void) {
    (testDescription, self.check) = (sentence, check)
  }

  /// Where the stores of a new place break the rule.
  package func findings(in place: StorePlace) -> [String] {
    let found = Findings()
    do { try check(place, found) } catch { found.add("\(error)") }
    return found.all
  }

  /// Those of pictures alone.
  package static let ofPictures = storing + puttingAside + manyAtOnce

  package static let all =
    naming + releasing + sizes + batches + seals + drafts + library + damage + ofPictures + watching
    + closing + failing + walking + besideSweepers
}
