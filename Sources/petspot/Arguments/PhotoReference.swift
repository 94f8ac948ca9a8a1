import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import SystemPackage
import ReportFlow

/// A reference to a photo by its id or by a unique prefix of it.
struct PhotoReference: Sendable {
  /// The given text in upper case, like the stored ids.
  let text: String

  /// Returns `nil` if the text is not a possible id or prefix.
  init?(_ text: String) {
    guard IDPrefix.looksLike(text) else { return nil }
    self.text = text.uppercased()
  }

  /// Parses an argument. Throws if it is not a possible id or prefix.
  static func required(_ argument: String) throws -> PhotoReference {
    guard let reference = PhotoReference(argument) else {
      throw ValidationError(
        text: "usage.notAPhotoID", ["argument": argument, "shortest": "\(IDPrefix.shortest)"])
    }
    return reference
  }

  /// Completes the ids of photos in the store that the command line names.
  ///
  /// - Parameter others: returns additional completions of the typed text.
  static func completion(
    others: @escaping @Sendable (String) -> [String] = { _ in [] }
  ) -> CompletionKind {
    .custom { arguments, _, typed in
      let stores = ["--cache", "--database", "--blobs"].flatMap { option in
        arguments.firstIndex(of: option).flatMap { index in
          arguments.dropFirst(index + 1).first.map { [option, $0] }
        } ?? []
      }
      let photos = try? GlobalOptions.parse(stores).openStoresIfThere()?.photos
      let found = try? photos?.ids(beginning: typed.uppercased(), limit: 200)
      // Keep the case of the typed text, because shells drop completions that begin differently.
      let ids = (found ?? []).map(\.uuidString).map {
        typed + (typed == typed.uppercased() ? $0 : $0.lowercased()).dropFirst(typed.count)
      }
      return ids + others(typed)
    }
  }

  /// Returns the whole id.
  ///
  /// - Throws: `Failure` with `StoreError.missingPhoto` if no photo matches, `Failure` with `ambiguous-id` if several
  ///   do.
  func id(in cache: PhotoAttachmentCache) throws -> UUID {
    if let id = UUID(uuidString: text) { return id }
    let found = try cache.ids(beginning: text, limit: 4).map(\.uuidString)
    let id = try IDPrefix.only(found, beginning: text, several: "usage.severalPhotos")
    guard let id = id.flatMap(UUID.init(uuidString:)) else {
      throw Failure(.missingPhoto, about: path)
    }
    return id
  }

  /// Opens the photos in which to look up the reference. Doesn't create a cache.
  ///
  /// - Throws: `Failure` with `StoreError.missingPhoto` if there is no cache.
  func photos(_ options: GlobalOptions) throws -> PhotoAttachmentCache {
    guard let photos = try options.openStoresIfThere()?.photos else {
      throw Failure(.missingPhoto, about: path)
    }
    return photos
  }

  /// The reference as a path, for error messages.
  var path: FilePath { FilePath(text) }
}
