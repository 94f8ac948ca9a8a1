import Foundation
import ImageContainers
import PhotoAttachments
import ReportFlow
import SystemPackage

/// The parts of a run on the page, which grow beside each other in files without names.
struct ImportPageParts {
  private let path: FilePath
  private let failed: ReportStream
  private let kept: ReportStream
  private let pairs: ReportStream
  private let photos: ReportStream
  private var keptCount = 0
  /// Rows of what was skipped, by its kind.
  private var skipped: [String: (rows: ReportStream, count: Int)] = [:]
  private var pictures: Set<String> = []

  /// Kinds with a table of their own; strangers' files have no end of them.
  private static let maxKinds = 40

  init(beside path: FilePath) throws(StoreError) {
    self.path = path
    failed = try Self.stream(beside: path)
    kept = try Self.stream(beside: path)
    pairs = try Self.stream(beside: path)
    photos = try Self.stream(beside: path)
  }

  private static func stream(beside path: FilePath) throws(StoreError) -> ReportStream {
    let stream = try ReportStream(beside: path)
    stream.hide()
    return stream
  }

  /// The name of the folder of a page's pictures.
  static func folder(beside path: FilePath) -> String { (path.stem ?? "report") + "_files" }

  mutating func add(
    _ file: ImportedFile, _ formatter: ImportFormatter, _ cache: PhotoAttachmentCache
  ) throws(StoreError) {
    let row = ImportPage.row(file) ?? ""
    switch file.outcome {
    case .failed: try failed.write(row)
    case .skipped(let refusal): try add(row, of: refusal.cause)
    case .imported(let photo):
      let picture = formatter.dryRun ? nil : try picture(of: photo, cache)
      let lines = [
        DisplayText.name(photo.fileName), DisplayText.path(file.path.removingLastComponent()),
        photo.dayTaken,
        Amounts.dimensions(photo.pixelWidth, photo.pixelHeight),
        formatter.id(photo.id)?.uuidString,
      ]
      try photos.write(ImportPage.figure(lines.compactMap(\.self), picture: picture))
    case .duplicate(let id, let tier):
      let stored = try? cache.catalog.photo(id: id.uuidString).map(cache.metadata)
      let picture: String? =
        if let stored, formatter.id(id) != nil { try picture(of: stored, cache) } else { nil }
      try pairs.write(
        ImportPage.pair(
          formatter.original(of: id).map(DisplayText.exact) ?? id.uuidString,
          DisplayText.exact(file.path), formatter.equality(tier, to: id), picture: picture))
    case .unchanged: break
    }
    if file.outcome.refusal == nil, !row.isEmpty {
      keptCount += 1
      try kept.write(row)
    }
  }

  private mutating func add(_ row: String, of cause: String) throws(StoreError) {
    let isOther = skipped[cause] == nil && skipped.count >= Self.maxKinds
    let kind = isOther ? L10n.words("import.page.otherKinds") : cause
    let rows: ReportStream =
      if let known = skipped[kind]?.rows { known } else { try Self.stream(beside: path) }
    try rows.write(row)
    skipped[kind] = (rows, (skipped[kind]?.count ?? 0) + 1)
  }

  /// The address of a photo's picture in the folder beside the page; nil where there are enough or it
  /// cannot be read.
  ///
  /// Its name says that it is none of a person's photos: an import leaves it out.
  private mutating func picture(
    of photo: PhotoAttachmentMetadata, _ cache: PhotoAttachmentCache
  ) throws(StoreError) -> String? {
    let folder = Self.folder(beside: path)
    let (digest, format) = (photo.preview.sha256.prefix(32), photo.preview.format)
    let name = digest + PhotoImporter.pictureSuffix + "." + format.fileExtensions[0]
    let address = [folder, name].map(\.addressEscaped).joined(separator: "/")
    if pictures.contains(name) { return address }
    guard pictures.count < ImportPage.maxPreviews,
      let bytes = try? cache.blobs.proved(photo.preview)
    else { return nil }
    let place = path.removingLastComponent().appending(folder)
    do {
      try FileManager.default.createDirectory(
        atPath: place.string, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(filePath: place.appending(name).string), options: .atomic)
    } catch {
      throw StoreError(operation: "write", path: DisplayText.exact(place), errno: errno)
    }
    pictures.insert(name)
    return address
  }

  /// Appends the parts in their order, those that are empty left out.
  func copy(
    to main: ReportStream, _ summary: ImportSummary, dryRun: Bool
  ) throws(StoreError) {
    let table = ImportPage.table
    func add(
      _ title: TextKey, _ count: Int, _ parts: [(String, ReportStream, String)]
    ) throws(StoreError) {
      if count == 0 { return }
      let section = ImportPage.section(title, count)
      try main.write(section.begin)
      for (begin, content, end) in parts {
        try main.write(begin)
        try content.copy(to: main)
        try main.write(end)
      }
      try main.write(section.end)
    }
    try add("import.page.failed", summary.failed, [(table.begin, failed, table.end)])
    let kinds = skipped.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    try add(
      "import.page.skipped", summary.skipped,
      kinds.map { kind, files in
        (ImportPage.kind(kind, files.count) + table.begin, files.rows, table.end + "</details>\n")
      })
    try add("import.page.originalsKept", keptCount, [(table.begin, kept, table.end)])
    try add("import.page.duplicates", summary.duplicates, [("", pairs, "")])
    try add(
      dryRun ? "import.page.wouldBeNew" : "import.page.new", summary.imported,
      [("<div class=\"sheet\">\n", photos, "</div>\n")])
  }
}

extension String {
  /// This name as part of an address: every byte that is not plain as `%NN`.
  var addressEscaped: String {
    addingPercentEncoding(
      withAllowedCharacters: .urlPathAllowed.subtracting(["/", "?", "#", ":", ";"]))
      ?? ""
  }
}
