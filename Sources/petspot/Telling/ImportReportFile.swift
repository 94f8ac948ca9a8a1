import Foundation
import PhotoAttachments
import SystemPackage

/// The report of an import, written while it runs, so that memory does not grow with it. Until it is
/// complete it lies beside its place under a name of its own.
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

  init(_ path: FilePath, cache: PhotoAttachmentCache) throws(StoreError) {
    kind = Kind(of: path) ?? .json
    (self.path, self.cache) = (path, cache)
    var status = stat()
    guard stat(path.string, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR else {
      throw .storage(operation: "open", path: path.string, errno: EISDIR)
    }
    main = try ReportStream(beside: path)
    rows = kind == .html ? try ReportStream(beside: path) : nil
    rows?.hide()
    switch kind {
    case .html: try main.write(ImportPage.head)
    case .json: try main.write("{\"files\":[")
    case .csv:
      try main.write(
        "path,outcome,code,detected,id,duplicateOf,tier,bytes,message,original\r\n")
    }
  }

  /// The names of a report that is not complete yet: no import takes its own.
  var unfinishedNames: [String] { [main.name] }

  func add(_ file: ImportedFile) throws(StoreError) {
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
      try rows?.write(ImportPage.row(file))
    }
    isFirst = false
  }

  func finish(_ summary: ImportSummary) throws(StoreError) {
    switch kind {
    case .json: try main.write("\n],\"summary\":" + summary.json.line + "}\n")
    case .csv: break
    case .html:
      let hidden = max(0, summary.imported - previews)
      try main.write(ImportPage.middle(hidden: hidden))
      try rows?.copy(to: main)
      try main.write(ImportPage.tail(summary))
    }
    try main.close()
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
      sourceDeleted ? "deleted" : sourceKept.map { "kept: " + $0.words } ?? "",
    ]
    return fields.map(Self.quoted).joined(separator: ",") + "\r\n"
  }

  private static func quoted(_ field: String) -> String {
    let isFormula = field.first.map { "=+-@\t\r".contains($0) } ?? false
    return "\"" + (isFormula ? "'" : "") + field.replacing("\"", with: "\"\"") + "\""
  }
}
