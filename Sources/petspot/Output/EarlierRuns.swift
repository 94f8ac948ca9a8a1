import Foundation
import SystemPackage

/// What the report at a path contains of earlier runs, or of the interrupted parts of this one. A new
/// report of the same kind takes it up as it is, so that nothing that was shown once is lost.
enum EarlierRuns {
  /// The first line of a table.
  static let csvHeader =
    "path,outcome,code,detected,id,duplicateOf,tier,bytes,message,original,url,run\r\n"
  /// What stands around earlier runs in JSON. Inside of a string no quotation mark is without a
  /// backslash, so that no file's name is taken for this.
  static let (jsonBegin, jsonEnd) = (",\"earlier\":[\n", "]}\n")

  /// The runs of the report at `path`, the newest first; empty where there is no such report.
  static func text(of path: FilePath, _ kind: ImportReportFile.Kind) -> String {
    var status = stat()
    guard lstat(path.string, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size < 256 << 20, let data = FileManager.default.contents(atPath: path.string)
    else { return "" }
    switch kind {
    case .html: return between(ImportPage.runsBegin, ImportPage.runsEnd, in: data) ?? ""
    case .csv:
      let header = Data(csvHeader.utf8)
      return data.starts(with: header)
        ? String(decoding: data.dropFirst(header.count), as: UTF8.self) : ""
    case .json: return runs(json: data)
    }
  }

  /// The newest run without its own list of earlier ones, and then these.
  private static func runs(json data: Data) -> String {
    let (begin, end) = (Data("{\"files\":[".utf8), Data("}\n".utf8))
    guard data.starts(with: begin), data.suffix(end.count) == end else { return "" }
    guard let list = data.range(of: Data(jsonBegin.utf8)),
      let earlier = between(jsonBegin, jsonEnd, in: data)
    else { return String(decoding: data.dropLast(), as: UTF8.self) + "\n" }
    let newest = String(decoding: data[..<list.lowerBound], as: UTF8.self) + "}"
    return newest + (earlier.isEmpty ? "\n" : ",\n" + earlier)
  }

  private static func between(_ begin: String, _ end: String, in data: Data) -> String? {
    guard let begin = data.range(of: Data(begin.utf8)),
      let end = data.range(of: Data(end.utf8), options: .backwards),
      begin.upperBound <= end.lowerBound
    else { return nil }
    return String(decoding: data[begin.upperBound..<end.lowerBound], as: UTF8.self)
  }
}
