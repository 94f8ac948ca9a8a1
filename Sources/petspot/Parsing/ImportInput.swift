import ArgumentParser
import PetSpotStores
import SystemPackage
import ReportFlow

enum ImportInput: Sendable {
  /// A folder or a photo.
  case path(FilePath)
  /// The objects at an address of a store, `s3://BUCKET/PREFIX?…`.
  case objects(String)

  /// The inputs of an argument that `RawArguments.folded` may have made of several.
  static func all(_ argument: String) throws -> [ImportInput] {
    guard !argument.isEmpty else { return [.path(try RawArguments.requiredPath(argument))] }
    return try argument.split(separator: "\0").map(String.init).map { given in
      given.hasPrefix("s3://")
        ? .objects(RawArguments.text(given)) : .path(try RawArguments.requiredPath(given))
    }
  }

  /// Whether these go together: objects come from one address, and from nowhere else.
  static func check(_ inputs: [ImportInput]) throws {
    for case .objects(let address) in inputs {
      guard inputs.count == 1 else {
        throw ValidationError(text: "usage.bucketImportedAlone")
      }
      if let problem = Stores.problem(ofBlobsAddress: address) { throw ValidationError(problem) }
    }
  }
}
