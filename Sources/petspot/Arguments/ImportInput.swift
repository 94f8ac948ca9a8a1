import ArgumentParser
import Foundation
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

/// The names that a file lists, or standard input for `-`: with a zero behind each, or a line each. Empty
/// ones do not count, and neither a byte order mark at the beginning nor a carriage return at a line's end is
/// part of a name.
struct ListedNames: Sendable {
  let file: FilePath
  let names: Result<[FilePath], Errno>

  init(_ argument: String) throws {
    file = argument == "-" ? "/dev/stdin" : try RawArguments.requiredPath(argument)
    do throws(Errno) { names = .success(Self.names(in: try Self.bytes(of: file))) } catch {
      names = .failure(error)
    }
  }

  private static func bytes(of path: FilePath) throws(Errno) -> [UInt8] {
    let file = path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { throw Errno(rawValue: errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &piece, piece.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += piece[..<count]
      } else if errno != EINTR {
        throw Errno(rawValue: errno)
      }
    }
  }

  private static func names(in bytes: [UInt8]) -> [FilePath] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
    let isZeroSeparated = bytes.contains(0)
    return bytes.split(separator: isZeroSeparated ? 0 : UInt8(ascii: "\n")).compactMap { name in
      let isDOS = !isZeroSeparated && name.last == UInt8(ascii: "\r")
      return RawArguments.path(RawArguments.encode(isDOS ? name.dropLast() : name))
    }
  }
}
