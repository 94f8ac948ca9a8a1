import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage

/// A report that lies where a new one of the same kind is to go: of earlier runs, or of the interrupted parts of
/// this one. The new report takes up its runs as they are, so that nothing that was shown once is lost.
final class EarlierReport {
  /// The first line of a table.
  static let csvHeader =
    "path,outcome,code,detected,id,duplicateOf,tier,bytes,message,original,url,run\r\n"
  /// What stands before earlier runs in JSON. Inside of a string no quotation mark is without a
  /// backslash, so that no file's name is taken for this.
  static let jsonBegin = ",\"earlier\":[\n"
  /// What stands behind them.
  static let jsonEnd = "]}\n"

  /// A piece of what the new report takes up.
  private enum Piece {
    case bytes(Range<Int>)
    case text(String)
  }

  private static let pieceBytes = 1 << 20

  /// For messages.
  private let path: String
  private let file: Int32
  private let sizeBytes: Int
  private let isRegular: Bool
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
      if report.isRegular {
        if try report.isEmpty() { return nil }
        if try report.findRuns(kind) { return report }
      }
    } catch {
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
      facts: ["path": .string(DisplayText.verbatim(path)), "reason": "not-a-report"])
  }

  private init(_ path: FilePath) throws(StoreError) {
    let text = DisplayText.exact(path)
    let file = try SystemCalls.check("open", text) {
      path.withPlatformString { Int(open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) }
    }
    self.path = text
    self.file = Int32(file)
    var status = stat()
    let code = fstat(Int32(file), &status) == 0 ? 0 : errno
    sizeBytes = Int(status.st_size)
    isRegular = status.st_mode & S_IFMT == S_IFREG
    if status.st_mode & S_IFMT == S_IFDIR { throw failure("open", EISDIR) }
    if code != 0 { throw failure("stat", code) }
  }

  deinit { close(file) }

  /// Writes the runs to a new report.
  func copyRuns(to stream: ReportStream) throws(StoreError) {
    for piece in runs {
      switch piece {
      case .text(let text): try stream.write(text)
      case .bytes(let range):
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.pieceBytes) {
          try stream.write(read(start..<min(start + Self.pieceBytes, range.upperBound)))
        }
      }
    }
  }

  /// Finds the runs; false if the file isn't a report.
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

  /// The newest run without its own list of earlier ones, and then these.
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

  /// Reads a byte: files of the system have no sizes.
  private func isEmpty() throws(StoreError) -> Bool {
    var byte: UInt8 = 0
    return try SystemCalls.check("read", path) { pread(file, &byte, 1, 0) } == 0
  }

  private func begins(with text: String) throws(StoreError) -> Bool {
    let count = text.utf8.count
    return try count <= sizeBytes ? read(0..<count).elementsEqual(text.utf8) : false
  }

  private func ends(with text: String) throws(StoreError) -> Bool {
    let start = sizeBytes - text.utf8.count
    return try start >= 0 ? read(start..<sizeBytes).elementsEqual(text.utf8) : false
  }

  /// Finds the first place of a text. Reads in pieces, because a report grows with every import.
  private func first(_ text: String) throws(StoreError) -> Range<Int>? {
    let wanted = Data(text.utf8)
    var start = 0
    while start + wanted.count <= sizeBytes {
      let piece = Data(try read(start..<min(start + Self.pieceBytes, sizeBytes)))
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
    let found = Data(try read(start..<sizeBytes)).range(of: Data(text.utf8), options: .backwards)
    return found.map { start + $0.lowerBound..<start + $0.upperBound }
  }

  private func read(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var done = 0
    while done < bytes.count {
      let count = try SystemCalls.check("read", path) {
        bytes.withUnsafeMutableBytes {
          pread(file, $0.baseAddress! + done, $0.count - done, off_t(range.lowerBound + done))
        }
      }
      // Something made it shorter.
      if count == 0 { throw failure("read", EIO) }
      done += count
    }
    return bytes
  }

  private func failure(_ operation: String, _ code: Int32) -> StoreError {
    StoreError(operation: operation, path: path, errno: code)
  }
}
