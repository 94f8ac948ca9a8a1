import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import SystemPackage
import ReportFlow

/// A photo as a person names it: by its id, or by a beginning that no other photo's id has.
struct PhotoReference: Sendable {
  /// What was given, in capital letters as ids are.
  let text: String

  /// Nil for what no id begins with.
  init?(_ text: String) {
    guard IDPrefix.looksLike(text) else { return nil }
    self.text = text.uppercased()
  }

  /// An argument that has to be one.
  static func required(_ argument: String) throws -> PhotoReference {
    guard let reference = PhotoReference(argument) else {
      throw ValidationError(
        text: "usage.notAPhotoID", ["argument": argument, "shortest": "\(IDPrefix.shortest)"])
    }
    return reference
  }

  /// Completes ids of photos in the store that the command line names.
  ///
  /// - Parameter others: what else the beginning can become.
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
      // In the case that was typed: shells drop what begins otherwise.
      let ids = (found ?? []).map(\.uuidString).map {
        typed + (typed == typed.uppercased() ? $0 : $0.lowercased()).dropFirst(typed.count)
      }
      return ids + others(typed)
    }
  }

  /// The whole id.
  ///
  /// - Throws: `Failure` with `StoreError.missingPhoto` when no photo's id begins like this;
  ///   `Failure` with `ambiguous-id` when several do.
  func id(in cache: PhotoAttachmentCache) throws -> UUID {
    if let id = UUID(uuidString: text) { return id }
    let found = try cache.ids(beginning: text, limit: 4).map(\.uuidString)
    let id = try IDPrefix.only(found, beginning: text, several: "usage.severalPhotos")
    guard let id = id.flatMap(UUID.init(uuidString:)) else {
      throw Failure(.missingPhoto, about: path)
    }
    return id
  }

  /// The photos to look for it in; a cache that is not there yet is not made for a look.
  ///
  /// - Throws: `Failure` with `StoreError.missingPhoto` where there is no cache.
  func photos(_ options: GlobalOptions) throws -> PhotoAttachmentCache {
    guard let photos = try options.openStoresIfThere()?.photos else {
      throw Failure(.missingPhoto, about: path)
    }
    return photos
  }

  var path: FilePath { FilePath(text) }
}
