import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion
import SystemPackage
import ReportFlow

/// Lossless access to the command-line arguments.
///
/// `CommandLine.arguments` repairs bytes that are not UTF-8, so such file names would be lost. Here, each such byte is
/// replaced by one private-use scalar (U+F780 plus the byte). The scalar passes through ArgumentParser and becomes the
/// byte again when a path is made. A genuine scalar of that range is encoded byte by byte too, so the encoding is
/// unambiguous.
enum RawArguments {
  /// Returns the encoded arguments of this process without the program's name.
  static func ofProcess() -> [String] {
    let count = Int(CommandLine.argc)
    guard count > 1 else { return [] }
    return (1..<count).compactMap { index in
      CommandLine.unsafeArgv[index].map { argument in
        let length = strlen(argument)
        return argument.withMemoryRebound(to: UInt8.self, capacity: length) {
          encode(UnsafeBufferPointer(start: $0, count: length))
        }
      }
    }
  }

  /// Joins runs of names into one argument each, because ArgumentParser takes quadratic time.
  ///
  /// A shell's `*` with 16,000 names would take minutes. The joined names are separated by NUL, which no argument can
  /// contain. `ImportInput.all` splits them again.
  ///
  /// - Parameter arguments: the arguments without the program's name. The first name of a run stays separate, because
  ///   it may be the value of the option before it.
  static func folded(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, ["import", "inspect"].contains(command),
      arguments.count > 32
    else { return arguments }
    var folded: [String] = []
    var run: [String] = []
    func endRun() {
      folded += run.prefix(1)
      if run.count > 1 { folded.append(run.dropFirst().joined(separator: "\0")) }
      run = []
    }
    for argument in arguments.dropFirst() {
      if argument.hasPrefix("-") || argument.isEmpty {
        endRun()
        folded.append(argument)
      } else {
        run.append(argument)
      }
    }
    endRun()
    return [command] + folded
  }

  /// The scalars that represent the bytes 0x80 to 0xFF.
  private static let standIns: ClosedRange<UInt32> = 0xF800...0xF87F

  /// Returns the bytes as text, with a private-use scalar for every byte that is not part of valid UTF-8.
  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      let scalars = String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars
      if let scalars, scalars.count == 1, let scalar = scalars.first,
        !standIns.contains(scalar.value)
      {
        text.append(scalar)
        rest = rest.dropFirst(length)
      } else if let standIn = Unicode.Scalar(0xF780 + UInt32(first)) {
        text.append(standIn)
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }

  /// Returns the original bytes of an argument.
  static func decode(_ argument: String) -> [UInt8] {
    argument.unicodeScalars.flatMap { scalar -> [UInt8] in
      standIns.contains(scalar.value)
        ? [UInt8(scalar.value - 0xF780)] : Array(String(scalar).utf8)
    }
  }

  /// Returns the argument as text in which each byte that is not UTF-8 is written as `\xNN`.
  static func text(_ argument: String) -> String { ReadableText.utf8(decode(argument)) }

  /// Returns the path that the argument names, or `nil` if the argument is empty or contains NUL.
  static func path(_ argument: String) -> FilePath? {
    let bytes = decode(argument)
    return bytes.isEmpty || bytes.contains(0) ? nil : FilePath(bytes: bytes).asStored
  }
}

extension FilePath {
  /// The path as it is on the disk if nothing has this name, but something has one with the same letters. Keyboards
  /// compose accents, and file names from a Mac have them decomposed.
  var asStored: FilePath {
    func exists(_ path: FilePath) -> Bool { (try? path.stat(followTargetSymlink: false)) != nil }
    guard rawBytes.contains(where: { $0 >= 0x80 }), !exists(self) else { return self }
    var found = FilePath(root: root, [])
    for component in components {
      let next = found.appending(component)
      if exists(next) {
        found = next
        continue
      }
      let folder = found.isEmpty ? "." : found.string
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      // Texts are equal if their letters are, however they are composed.
      guard let name = names.first(where: { $0 == component.string }) else { return self }
      found.append(name)
    }
    return found
  }

  /// `true` if the path leads to a folder. Follows links.
  var isFolder: Bool { (try? stat().type == .directory) ?? false }
}

/// Parses byte counts in arguments: digits, optionally followed by a unit.
enum ByteSize {
  /// Returns the number of bytes for a text such as `20000000`, `20MB`, `10 GB` or `20MiB`.
  static func parse(_ text: String) throws -> Int {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).uppercased()
    guard let number = Int(digits), number > 0, let factor = units[unit] else {
      throw ValidationError(text: "usage.notASize", ["text": text])
    }
    let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: factor)
    return isTooLarge ? .max : bytes
  }

  /// The factors of units in upper case. Units without `I` are decimal.
  private static let units = [
    "": 1, "B": 1, "K": 1000, "KB": 1000, "KIB": 1 << 10, "M": 1_000_000, "MB": 1_000_000,
    "MIB": 1 << 20, "G": 1_000_000_000, "GB": 1_000_000_000, "GIB": 1 << 30, "T": 1_000_000_000_000,
    "TB": 1_000_000_000_000, "TIB": 1 << 40,
  ]
}

/// Formats arguments for a shell.
enum ShellWords {
  /// Returns a command line that runs with these arguments again.
  static func line(_ arguments: [String]) -> String { arguments.map(quoted).joined(separator: " ") }

  /// Returns one argument, quoted if needed. Terminal control characters are escaped visibly, not preserved.
  static func quoted(_ argument: String) -> String {
    let text = ReadableText.escaped(RawArguments.text(argument))
    let isPlain = text.wholeMatch(of: /[A-Za-z0-9_.,:\/@%+=-]+/) != nil
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}

extension RawArguments {
  /// Returns the path of a `file:///home/…%20…` address. The host name is ignored (RFC 8089, 2).
  static func unescapedAddress(_ text: String) -> String {
    let rest = text.dropFirst("file://".count)
    let path = rest.firstIndex(of: "/").map { rest[$0...] } ?? rest
    var bytes = [UInt8]()
    var left = Array(path.utf8)[...]
    while let byte = left.popFirst() {
      let digits = String(decoding: left.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        left = left.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return encode(bytes)
  }
}
