import Foundation
import PhotoAttachments
import ReportFlow
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
  /// Where it is, or is to be once it is complete.
  private(set) var path: FilePath
  private let heading: ImportHeading
  private let main: ReportStream
  private var page: ImportPageParts?
  private var isFirst = true

  init(_ path: FilePath, heading: ImportHeading) throws(StoreError) {
    kind = Kind(of: path) ?? .json
    (self.path, self.heading) = (path, heading)
    main = try ReportStream(beside: path)
    switch kind {
    case .html:
      page = ImportPageParts(beside: path)
      try main.write(ImportPage.head)
    case .json: try main.write("{\"files\":[")
    case .csv: try main.write(EarlierReport.csvHeader)
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

  /// Completes the report, with the runs of the earlier one, and lets it take that one's place.
  ///
  /// - Throws: what `EarlierReport.find` throws. Then the earlier report stays, and this one has another name beside
  ///   it, without the earlier runs.
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

  /// What the report there shows of earlier runs, or of an interrupted part of this one. It is read as a whole before
  /// any of it is written to the new report.
  private func earlierRuns() throws(Failure) -> ReportStream? {
    guard let report = try EarlierReport.find(at: path, kind) else { return nil }
    return try about(path) { () throws(StoreError) in
      let runs = try ReportStream(beside: path, isHidden: true)
      try report.copyRuns(to: runs)
      return runs
    }
  }

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
      try page?.write(to: main, summary, formatter, heading)
      try earlier?.copy(to: main)
      try main.write(ImportPage.tail)
    }
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
