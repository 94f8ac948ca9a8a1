import ArgumentParser
import Foundation
import PetSpotStores
import SystemPackage
import ReportFlow

/// One input of an import, as given on the command line.
enum ImportInput: Sendable {
  /// The path of a folder or a photo.
  case path(FilePath)
  /// The objects at an address such as `s3://BUCKET/PREFIX?…`.
  case objects(String)

  /// Returns the inputs of an argument, which `RawArguments.folded` may have joined from several.
  static func all(_ argument: String) throws -> [ImportInput] {
    guard !argument.isEmpty else { return [.path(try RawArguments.requiredPath(argument))] }
    return try argument.split(separator: "\0").map(String.init).map { given in
      given.hasPrefix("s3://")
        ? .objects(RawArguments.text(given)) : .path(try RawArguments.requiredPath(given))
    }
  }

  /// Throws unless the inputs can be combined. An address of objects must be the only input.
  static func check(_ inputs: [ImportInput]) throws {
    for case .objects(let address) in inputs {
      guard inputs.count == 1 else {
        throw ValidationError(text: "usage.bucketImportedAlone")
      }
      if let problem = Stores.problem(ofBlobsAddress: address) { throw ValidationError(problem) }
    }
  }
}

/// The names listed in a file, or in standard input for `-`.
///
/// Names are separated by NUL if the file contains one, otherwise by line ends. Empty names are skipped. A byte order
/// mark at the beginning and a carriage return at the end of a line are not part of a name.
struct ListedNames: Sendable {
  let file: FilePath
  /// The names, or the error of reading the file. The error is reported after all arguments are parsed.
  let names: Result<[FilePath], Errno>

  init(_ argument: String) throws {
    file = argument == "-" ? "/dev/stdin" : try RawArguments.requiredPath(argument)
    do throws(Errno) { names = .success(Self.names(in: try Self.bytes(of: file))) } catch {
      names = .failure(error)
    }
  }

  /// Reads the whole file.
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
