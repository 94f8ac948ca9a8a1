import Foundation
package import PhotoAttachments
import Testing

/// An empty place where a pair of stores under test keeps records and pictures.
package struct StorePlace: Sendable {
  /// Opens the place. Each opening is a new one, like that of another process.
  package let open: @Sendable () throws -> Stores
  /// Returns the number of staged pictures.
  package let staged: @Sendable () throws -> Int
  /// Deletes only the record of the photo with this ID, as damage does.
  package let loseRecord: @Sendable (_ photo: String) throws -> Void
  /// Replaces the bytes of a stored picture, as damage does.
  package let damage: @Sendable (_ place: BlobPath, _ bytes: [UInt8]) throws -> Void
  /// The ways in which calls can fail.
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

  /// A way in which calls can fail.
  package struct Breakdown: Sendable {
    package let name: String
    /// The names of the calls that can fail in this way.
    package let calls: Set<String>
    /// Lets the next call with this name fail.
    package let begin: @Sendable (_ call: String) throws -> Void
    /// Lets the call succeed again.
    package let end: @Sendable () throws -> Void

    package init(
      _ name: String, calls: Set<String>,
      begin: @escaping @Sendable (_ call: String) throws -> Void,
      end: @escaping @Sendable () throws -> Void
    ) {
      (self.name, self.calls, self.begin, self.end) = (name, calls, begin, end)
    }

    /// Returns a breakdown in which the folders for pictures are files.
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

    /// The names of calls that change a catalog.
    package static let catalogCalls: Set<String> = [
      "begin", "handle", "restore", "confirm", "attach", "remove", "forget", "touch", "expire",
      "record", "release", "replace", "remake", "letGo", "correctSource", "setPerceptualHash",
    ]
    /// The names of calls that change a storage.
    package static let storageCalls: Set<String> = ["put", "stage", "name", "delete", "quarantine"]
  }
}

/// An opened catalog and storage.
package struct Stores: Sendable {
  package let catalog: Catalog
  package let storage: any BlobStorage

  package init(catalog: Catalog, storage: any BlobStorage) {
    (self.catalog, self.storage) = (catalog, storage)
  }
}

/// One rule of `Catalog` and `BlobStorage` that every pair of stores has to keep. A test takes each rule of `all` as
/// its argument, and expects no findings in a new place.
package struct StoreRule: Sendable, CustomTestStringConvertible {
  /// The rule in one sentence.
  package let testDescription: String
  private let check: @Sendable (StorePlace, Findings) throws -> Void

  init(_ sentence: String, check: @escaping @Sendable (StorePlace, Findings) throws -> Void) {
    (testDescription, self.check) = (sentence, check)
  }

  /// Returns how the stores of a new place break the rule; empty if they keep it.
  package func findings(in place: StorePlace) -> [String] {
    let found = Findings()
    do { try check(place, found) } catch { found.add("\(error)") }
    return found.all
  }

  /// The rules that concern only pictures.
  package static let ofPictures = storing + puttingAside + manyAtOnce

  package static let all =
    naming + releasing + sizes + batches + seals + drafts + library + places + damage + ofPictures
    + watching
    + closing + failing + walking + besideSweepers
}
