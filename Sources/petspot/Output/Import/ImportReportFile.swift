import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage

/// The report of an import. It is written during the import to limit memory use. Until it is complete, it has a
/// temporary name next to its final path.
final class ImportReportFile {
  /// The format of a report, which its file extension selects.
  enum Kind: String {
    case html, json, csv

    init?(of path: FilePath) { self.init(rawValue: path.extension?.lowercased() ?? "") }
  }

  private let kind: Kind
  /// The path of the report, which is used once the report is complete.
  private(set) var path: FilePath
  private let heading: ImportHeading
  private let main: ReportStream
  private var page: ImportPageParts?
  private var isFirst = true

  init(_ path: FilePath, heading: ImportHeading) throws(StoreError) {
    kind = Kind(of: path) ?? .json
    self.path = path
    self.heading = heading
    main = try ReportStream(beside: path)
    switch kind {
    case .html:
      page = ImportPageParts(beside: path)
      try main.write(ImportPage.head)
    case .json: try main.write("{\"files\":[")
    case .csv: try main.write(EarlierReport.csvHeader)
    }
  }

  /// Patterns that match the report's own files, so that they are not imported.
  var ownNames: [String] {
    let folder = ImportPageParts.folder(beside: path)
    return [main.name, folder.replacing(/[\[\]*?\\]/) { "\\" + $0.output }]
  }

  /// Appends a file to the report.
  func add(_ file: ImportedFile, _ formatter: ImportFormatter) throws(StoreError) {
    switch kind {
    case .json: try main.write((isFirst ? "\n" : ",\n") + file.json(formatter).line)
    case .csv: try main.write(file.csv(formatter, run: heading.date))
    case .html: try page?.add(file, formatter)
    }
    isFirst = false
  }

  /// Completes the report, adds the runs of the earlier report, and replaces that report.
  ///
  /// - Throws: the errors of `EarlierReport.find`. The earlier report is then kept, and this one gets another name next
  ///   to it, without the earlier runs.
  func finish(_ summary: ImportSummary, _ formatter: ImportFormatter) throws(Failure) {
    var earlier: ReportStream?
    var problem: Failure?
    do throws(Failure) { earlier = try earlierRuns() } catch { problem = error }
    try about(path) { () throws(StoreError) in try writeEnd(summary, formatter, earlier) }
    do throws(Failure) {
      if let problem { throw problem }
      try about(path) { () throws(StoreError) in try main.close() }
    } catch {
      path = try about(path) { () throws(StoreError) in try main.closeBeside() }
      var failure = error
      failure.message += " " + L10n.words("import.report.beside", ["file": DisplayText.path(path)])
      throw failure
    }
  }

  /// Returns the runs in the existing report, including an interrupted part of this one. All of it is read and checked
  /// before anything is added to the new report.
  private func earlierRuns() throws(Failure) -> ReportStream? {
    guard let report = try EarlierReport.find(at: path, kind) else { return nil }
    return try about(path) { () throws(StoreError) in
      let runs = try ReportStream(beside: path, isHidden: true)
      try report.copyRuns(to: runs)
      return runs
    }
  }

  /// Writes the summary, the earlier runs and the end of the report.
  private func writeEnd(
    _ summary: ImportSummary, _ formatter: ImportFormatter, _ earlier: ReportStream?
  ) throws(StoreError) {
    switch kind {
    case .json:
      try main.write(
        "\n],\"summary\":" + summary.json(formatter).line + ",\"run\":" + heading.json.line
          + EarlierReport.jsonBegin)
      try earlier?.copy(to: main)
      try main.write(EarlierReport.jsonEnd)
    case .csv: try earlier?.copy(to: main)
    case .html:
      try page?.addLookAlikes(formatter)
      try page?.write(to: main, summary, formatter, heading)
      try earlier?.copy(to: main)
      try main.write(ImportPage.tail)
    }
  }
}

extension ImportedFile {
  /// Returns a line of the table (RFC 4180). A field that a spreadsheet would treat as a formula is prefixed with an
  /// apostrophe. `url` identifies the file exactly, whatever bytes its name contains.
  ///
  /// - Parameter run: the start time of the run that the line belongs to.
  func csv(_ formatter: ImportFormatter, run: String) -> String {
    let event = json(formatter)
    let fields = [
      "outcome", "code", "detected", "id", "duplicateOf", "tier", "fileSizeBytes", "message",
    ].map(event.text)
    let others = [original(formatter), Self.url(of: path), run]
    return ([DisplayText.exact(path)] + fields + others).map(Self.quoted).joined(separator: ",")
      + "\r\n"
  }

  /// Returns what happened to the original, or would happen.
  private func original(_ formatter: ImportFormatter) -> String {
    let would = formatter.dryRun ? "would be " : ""
    if let sourceMovedTo { return "moved: " + DisplayText.exact(sourceMovedTo) }
    if sourceDeleted { return would + (formatter.moves ? "moved" : "deleted") }
    return sourceKept.map { would + "kept: " + $0.words } ?? ""
  }

  /// Returns a `file:///…` address. Every byte that is not a plain character is written as `%NN` (RFC 8089).
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
