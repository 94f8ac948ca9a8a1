import Foundation
import PhotoAttachments
import SystemPackage

/// The report of an import, written while it runs, so that memory does not grow with it. Until it is
/// complete it lies beside its place under a name of its own.
final class ImportReportFile {
  /// What a report's ending chooses.
  enum Kind: String {
    case html, json, csv

    init?(of path: FilePath) { self.init(rawValue: path.extension?.lowercased() ?? "") }
  }

  private let kind: Kind
  let path: FilePath
  private let heading: ImportHeading
  private let main: ReportStream
  private var page: ImportPageParts?
  private var isFirst = true

  init(_ path: FilePath, heading: ImportHeading) throws(StoreError) {
    kind = Kind(of: path) ?? .json
    (self.path, self.heading) = (path, heading)
    if path.isFolder { throw .storage(operation: "open", path: path.string, errno: EISDIR) }
    main = try ReportStream(beside: path)
    switch kind {
    case .html:
      page = ImportPageParts(beside: path)
      try main.write(ImportPage.head)
    case .json: try main.write("{\"files\":[")
    case .csv: try main.write(EarlierRuns.csvHeader)
    }
  }

  /// Patterns of what belongs to the report: no import takes its own.
  var ownNames: [String] {
    let folder = ImportPageParts.folder(beside: path)
    return [main.name, folder.replacing(/[\[\]*?\\]/) { "\\" + $0.output }]
  }

  func add(_ file: ImportedFile, _ formatter: ImportFormatter) throws(StoreError) {
    switch kind {
    case .json: try main.write((isFirst ? "\n" : ",\n") + file.json(formatter).line)
    case .csv: try main.write(file.csv(formatter, run: heading.date))
    case .html: try page?.add(file, formatter)
    }
    isFirst = false
  }

  func finish(_ summary: ImportSummary, _ formatter: ImportFormatter) throws(StoreError) {
    // What an earlier run or an interrupted part of this one showed stays below.
    let earlier = EarlierRuns.text(of: path, kind)
    switch kind {
    case .json:
      try main.write(
        "\n],\"summary\":" + summary.json(formatter).line + ",\"run\":" + heading.json.line
          + EarlierRuns.jsonBegin + earlier + EarlierRuns.jsonEnd)
    case .csv: try main.write(earlier)
    case .html:
      try page?.write(to: main, summary, formatter, heading)
      try main.write(earlier + ImportPage.tail)
    }
    try main.close()
  }
}

extension ImportedFile {
  /// A line of the table (RFC 4180). A field that a spreadsheet would take for a formula begins with
  /// an apostrophe; `url` names the very file, whatever characters its name has.
  ///
  /// - Parameter run: when the run began that the line belongs to.
  func csv(_ formatter: ImportFormatter, run: String) -> String {
    let event = json(formatter)
    let fields = [
      "outcome", "code", "detected", "id", "duplicateOf", "tier", "fileSizeBytes", "message",
    ].map(event.text)
    let others = [original(formatter), Self.url(of: path), run]
    return ([DisplayText.exact(path)] + fields + others).map(Self.quoted).joined(separator: ",")
      + "\r\n"
  }

  /// What became of the original, or would.
  private func original(_ formatter: ImportFormatter) -> String {
    let would = formatter.dryRun ? "would be " : ""
    if let sourceMovedTo { return "moved: " + DisplayText.exact(sourceMovedTo) }
    if sourceDeleted { return would + (formatter.moves ? "moved" : "deleted") }
    return sourceKept.map { would + "kept: " + $0.words } ?? ""
  }

  /// `file:///…` with every byte that is not plain as `%NN` (RFC 8089).
  private static func url(of path: FilePath) -> String {
    let absolute =
      path.isAbsolute
      ? path : FilePath(FileManager.default.currentDirectoryPath).appending(path.components)
    let plain = Set("/-._~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    return "file://"
      + absolute.rawBytes.map { byte in
        plain.contains(byte)
          ? String(UnicodeScalar(byte))
          : "%" + (byte < 16 ? "0" : "")
            + String(byte, radix: 16, uppercase: true)
      }.joined()
  }

  private static func quoted(_ field: String) -> String {
    let isFormula = field.first.map { "=+-@\t\r".contains($0) } ?? false
    return "\"" + (isFormula ? "'" : "") + field.replacing("\"", with: "\"\"") + "\""
  }
}
