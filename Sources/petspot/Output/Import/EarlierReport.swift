import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage

/// A report that already exists at the path of a new one. It lists earlier runs, or what this run did before it was
/// interrupted. The new report contains an unchanged copy of that list.
final class EarlierReport {
  /// The first line of a table.
  static let csvHeader =
    "path,outcome,code,detected,id,duplicateOf,tier,bytes,message,original,url,run\r\n"
  /// The text before earlier runs in JSON. It can't occur in a file's name, because JSON escapes quotation marks with a
  /// backslash.
  static let jsonBegin = ",\"earlier\":[\n"
  /// The text after earlier runs in JSON.
  static let jsonEnd = "]}\n"

  /// A piece of the earlier runs.
  private enum Piece {
    case bytes(Range<Int>)
    case text(String)
  }

  private static let pieceBytes = 1 << 20

  /// The path, for messages.
  private let path: String
  private let file: PictureFile
  private var sizeBytes: Int { file.sizeBytes }
  /// The runs, the newest first.
  private var runs: [Piece] = []

  /// Finds the report at a path.
  ///
  /// - Returns: `nil` if nothing is there, or an empty file.
  /// - Throws: exit code 73 if something else is there, which must not be replaced; 74 if it can't be read.
  static func find(
    at path: FilePath, _ kind: ImportReportFile.Kind
  ) throws(Failure) -> EarlierReport? {
    do throws(StoreError) {
      let report = try EarlierReport(path)
      if try report.isEmpty() { return nil }
      if try report.findRuns(kind) { return report }
    } catch {
      if error == .fault(.blobNotAFile) {
        guard path.isFolder else { throw refusal("import.report.foreign", path) }
        throw Failure(
          .storage(operation: "open", path: DisplayText.exact(path), errno: EISDIR), about: path)
      }
      switch error.systemErrno {
      case ENOENT: return nil
      case ELOOP: throw refusal("import.report.link", path)
      // A socket.
      case ENXIO: break
      default: throw Failure(error, about: path)
      }
    }
    throw refusal("import.report.foreign", path)
  }

  private static func refusal(_ text: TextKey, _ path: FilePath) -> Failure {
    Failure(
      code: "storage", message: L10n.words(text, ["file": DisplayText.path(path)]), exitCode: 73,
      facts: ["path": DisplayText.verbatim(path), "reason": "not-a-report"])
  }

  private init(_ path: FilePath) throws(StoreError) {
    let text = DisplayText.exact(path)
    let file = try SystemCalls.check("open", text) {
      path.withPlatformString { Int(open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) }
    }
    self.path = text
    self.file = try .regular(Int32(file), path: text)
  }

  /// Writes the runs to a new report.
  func copyRuns(to stream: ReportStream) throws(StoreError) {
    for piece in runs {
      switch piece {
      case .text(let text): try stream.write(text)
      case .bytes(let range):
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.pieceBytes) {
          try stream.write(readBytes(start..<min(start + Self.pieceBytes, range.upperBound)))
        }
      }
    }
  }

  /// Finds the runs. Returns `false` if the file isn't a report.
  private func findRuns(_ kind: ImportReportFile.Kind) throws(StoreError) -> Bool {
    switch kind {
    case .csv:
      guard try begins(with: Self.csvHeader) else { return false }
      runs = [.bytes(Self.csvHeader.utf8.count..<sizeBytes)]
    case .html:
      guard let begin = try first(ImportPage.runsBegin), let end = try last(ImportPage.runsEnd),
        begin.upperBound <= end.lowerBound
      else { return false }
      runs = [.bytes(begin.upperBound..<end.lowerBound)]
    case .json: return try findJSONRuns()
    }
    return true
  }

  /// Finds the newest run without its own list of earlier runs, followed by that list.
  private func findJSONRuns() throws(StoreError) -> Bool {
    guard try begins(with: "{\"files\":[\n"), try first("\n],\"summary\":{") != nil,
      try ends(with: "}\n")
    else { return false }
    guard let list = try first(Self.jsonBegin) else {
      runs = [.bytes(0..<sizeBytes)]
      return true
    }
    let end = sizeBytes - Self.jsonEnd.utf8.count
    guard list.upperBound <= end, try ends(with: Self.jsonEnd) else { return false }
    let earlier = list.upperBound..<end
    runs = [
      .bytes(0..<list.lowerBound), .text(earlier.isEmpty ? "}\n" : "},\n"), .bytes(earlier),
    ]
    return true
  }

  // MARK: - Reading

  /// Reads a byte, because files in `/proc` have a size of 0.
  private func isEmpty() throws(StoreError) -> Bool {
    try file.bytes(0..<1).isEmpty
  }

  private func begins(with text: String) throws(StoreError) -> Bool {
    let count = text.utf8.count
    return try count <= sizeBytes ? readBytes(0..<count).elementsEqual(text.utf8) : false
  }

  private func ends(with text: String) throws(StoreError) -> Bool {
    let start = sizeBytes - text.utf8.count
    return try start >= 0 ? readBytes(start..<sizeBytes).elementsEqual(text.utf8) : false
  }

  /// Finds the first place of a text. Reads in pieces, because a report grows with every import.
  private func first(_ text: String) throws(StoreError) -> Range<Int>? {
    let wanted = Data(text.utf8)
    var start = 0
    while start + wanted.count <= sizeBytes {
      let piece = Data(try readBytes(start..<min(start + Self.pieceBytes, sizeBytes)))
      if let found = piece.range(of: wanted) {
        return start + found.lowerBound..<start + found.upperBound
      }
      start += piece.count - wanted.count + 1
    }
    return nil
  }

  /// Finds the last place of a text near the end.
  private func last(_ text: String) throws(StoreError) -> Range<Int>? {
    let start = max(0, sizeBytes - Self.pieceBytes)
    let found = Data(try readBytes(start..<sizeBytes)).range(
      of: Data(text.utf8), options: .backwards)
    return found.map { start + $0.lowerBound..<start + $0.upperBound }
  }

  private func readBytes(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    let bytes = try file.bytes(range)
    // The file has become shorter.
    guard bytes.count == range.count else {
      throw StoreError(operation: "read", path: path, errno: EIO)
    }
    return bytes
  }
}
