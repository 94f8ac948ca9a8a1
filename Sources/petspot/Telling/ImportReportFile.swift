import Foundation
import PhotoAttachments
import SystemPackage

/// The report of an import, written while it runs, so that memory does not grow with it. It lies
/// beside its place as `.part` until it is complete.
final class ImportReportFile {
  /// What a report's ending chooses.
  enum Kind: String {
    case html, json, csv

    init?(of path: FilePath) {
      self.init(rawValue: path.extension?.lowercased() ?? "")
    }
  }

  private let kind: Kind
  private let path: FilePath
  private let cache: PhotoAttachmentCache
  private let main: ReportStream
  /// The second half of the page, while its first half grows.
  private let rows: ReportStream?
  private var previews = 0
  private var isFirst = true

  init(_ path: FilePath, cache: PhotoAttachmentCache) throws(PhotoError) {
    kind = Kind(of: path) ?? .json
    (self.path, self.cache) = (path, cache)
    var status = stat()
    guard stat(path.string, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR else {
      throw .storage(operation: "open", path: path.string, errno: EISDIR)
    }
    main = try ReportStream(path.string + ".part")
    rows = kind == .html ? try ReportStream(path.string + ".rows.part") : nil
    switch kind {
    case .html: try main.write(ImportPage.head)
    case .json: try main.write("{\"files\":[")
    case .csv: try main.write("path,outcome,code,detected,id,duplicateOf,tier,bytes,message\r\n")
    }
  }

  /// Patterns for the names of a report that is not complete yet: no import takes its own.
  static func unfinishedNames(of path: FilePath) -> [String] {
    let special: Set<Character> = ["*", "?", "[", "\\"]
    let name = (path.lastComponent?.string ?? "").map { special.contains($0) ? "\\\($0)" : "\($0)" }
    return [".part", ".rows.part"].map { name.joined() + $0 }
  }

  func add(_ file: ImportedFile) throws(PhotoError) {
    switch kind {
    case .json:
      try main.write((isFirst ? "\n" : ",\n") + file.json.line)
    case .csv:
      try main.write(file.csv)
    case .html:
      if case .imported(let photo) = file.outcome, previews < ImportPage.mostPreviews,
        let bytes = try? cache.bytes(of: photo.preview)
      {
        previews += 1
        try main.write(ImportPage.figure(photo, preview: bytes))
      }
      if file.outcome.refusal != nil { try rows?.write(ImportPage.row(file)) }
    }
    isFirst = false
  }

  func finish(_ summary: ImportSummary) throws(PhotoError) {
    switch kind {
    case .json: try main.write("\n],\"summary\":" + summary.json.line + "}\n")
    case .csv: break
    case .html:
      let hidden = max(0, summary.imported - previews)
      try main.write(ImportPage.middle(hidden: hidden))
      try rows?.copy(to: main)
      try main.write(ImportPage.tail(summary))
    }
    try main.close(as: path.string)
  }
}

/// A file that text is appended to.
final class ReportStream {
  private let name: String
  private let stream: UnsafeMutablePointer<FILE>

  init(_ name: String) throws(PhotoError) {
    guard let stream = fopen(name, "w+e") else {
      throw .storage(operation: "open", path: name, errno: errno)
    }
    (self.name, self.stream) = (name, stream)
  }

  deinit {
    fclose(stream)
    unlink(name)  // unless it has its own name by now
  }

  func write(_ text: String) throws(PhotoError) {
    let bytes = Array(text.utf8)
    guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw failure("write") }
  }

  func copy(to other: ReportStream) throws(PhotoError) {
    rewind(stream)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, stream)
      if count == 0 { return }
      guard fwrite(chunk, 1, count, other.stream) == count else { throw other.failure("write") }
    }
  }

  /// Gives the complete file its name.
  func close(as final: String) throws(PhotoError) {
    guard fflush(stream) == 0, fsync(fileno(stream)) == 0 else { throw failure("fsync") }
    guard rename(name, final) == 0 else { throw failure("rename") }
  }

  private func failure(_ operation: String) -> PhotoError {
    errno == ENOSPC || errno == EDQUOT
      ? .storageFull(operation: operation, path: name, errno: errno)
      : .storage(operation: operation, path: name, errno: errno)
  }
}

extension ImportedFile {
  /// A line of the table (RFC 4180). A field that a spreadsheet would take for a formula begins with
  /// an apostrophe.
  var csv: String {
    var (id, twin, tier) = ("", "", "")
    switch outcome {
    case .imported(let photo): id = photo.id.uuidString
    case .unchanged(let photo): id = photo.uuidString
    case .duplicate(let photo, let equal): (twin, tier) = (photo.uuidString, equal.rawValue)
    case .skipped, .failed: break
    }
    let refusal = outcome.refusal
    let fields = [
      DisplayText.exact(path), outcome.word, refusal?.code ?? "", refusal?.detected ?? "", id,
      twin, tier, String(sizeBytes), refusal?.sentence(about: path) ?? "",
    ]
    return fields.map(Self.quoted).joined(separator: ",") + "\r\n"
  }

  private static func quoted(_ field: String) -> String {
    let isFormula = field.first.map { "=+-@\t\r".contains($0) } ?? false
    return "\"" + (isFormula ? "'" : "") + field.replacing("\"", with: "\"\"") + "\""
  }
}
