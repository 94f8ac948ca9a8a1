import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// The sections of a run on the page. Each grows in a nameless file during the import.
struct ImportPageParts {
  /// The sections in order. Their titles are texts with the same names.
  private enum Section: String, CaseIterable {
    case failed, skipped, originalsKept, duplicates, lookAlikes, new
  }

  private let path: FilePath
  /// The lists of each section by cause. A section with a single list uses an empty key.
  private var parts: [Section: [String: (content: ReportStream, count: Int)]] = [:]
  private var pictures: Set<String> = []
  /// The photos that this run added to the library.
  private var added: Set<UUID> = []

  /// The maximum number of causes with a separate table, because strangers' files can have any number of kinds.
  private static let maxKinds = 40
  /// The placeholder for a list's content while the page is rendered. No path contains it.
  private static let content: Character = "\0"

  init(beside path: FilePath) { self.path = path }

  /// Returns the name of the folder with the page's pictures.
  static func folder(beside path: FilePath) -> String { (path.stem ?? "report") + "_files" }

  /// Adds a file to the section of its outcome. Unchanged files are omitted.
  mutating func add(_ file: ImportedFile, _ formatter: ImportFormatter) throws(StoreError) {
    let cache = formatter.cache
    switch file.outcome {
    case .failed(let refusal): try add(row(file, refusal), to: .failed)
    case .skipped(let refusal): try add(row(file, refusal), to: .skipped, of: refusal.cause)
    case .imported(let photo):
      let picture = formatter.dryRun ? nil : try picture(of: photo, cache)
      let found = try formatter.dryRun ? nil : cache.findPhoto(photo.id)
      if !formatter.dryRun { added.insert(photo.id) }
      let lines = [
        DisplayText.name(photo.fileName), DisplayText.path(file.path.removingLastComponent()),
        found?.dayTaken,
        Amounts.dimensions(photo.pixelWidth, photo.pixelHeight),
        formatter.id(photo.id)?.uuidString,
      ]
      try add(figures([lines.compactMap(\.self)], picture), to: .new)
    case .duplicate(let id, let tier):
      let stored = try? cache.catalog.photo(id: id.uuidString).map(cache.metadata)
      let picture: String? =
        if let stored, formatter.id(id) != nil { try picture(of: stored, cache) } else { nil }
      let original = formatter.original(of: id).map(DisplayText.exact) ?? id.uuidString
      let pair = [
        [original, L10n.words("import.page.stored")],
        [DisplayText.exact(file.path), formatter.equality(tier, to: id)],
      ]
      try add(figures(pair, picture), to: .duplicates)
    case .unchanged: break
    }
    if file.outcome.refusal == nil, let kept = file.sourceKept {
      let cells = [DisplayText.exact(file.path), kept.words, kept.code]
      try add(ImportPage.piece("row", ["cells": cells]), to: .originalsKept)
    }
  }

  /// Adds groups of photos that look alike, if this run has added one of them.
  mutating func addLookAlikes(_ formatter: ImportFormatter) throws(StoreError) {
    if added.isEmpty { return }
    let groups = try formatter.cache.lookAlikes().filter { group in
      group.contains { added.contains($0.id) }
    }
    for (number, group) in groups.prefix(Self.maxKinds).enumerated() {
      for member in group.prefix(20) {
        guard let found = try formatter.cache.findPhoto(member.id) else { continue }
        let place = [found.folder ?? "", found.name].filter { !$0.isEmpty }.joined(separator: "/")
        let lines = [ReadableText.escaped(place), found.dayTaken, member.id.uuidString]
        let picture = try picture(of: found.photo, formatter.cache)
        try add(
          figures([lines.compactMap(\.self)], picture), to: .lookAlikes, of: "\(number + 1)")
      }
    }
  }

  /// Renders a row about a file that was not imported.
  private func row(_ file: ImportedFile, _ refusal: ImportRefusal) -> String {
    let code = [refusal.code, refusal.detected].compactMap { $0 }.joined(separator: ": ")
    let cells = [
      DisplayText.exact(file.path), refusal.sentence(about: file.path), ReadableText.escaped(code),
    ]
    return ImportPage.piece("row", ["cells": cells])
  }

  /// Renders a photo, or a pair of duplicates with the same picture. `picture` may be `nil`.
  private func figures(_ captions: [[String]], _ picture: String?) -> String {
    let figures = captions.map { lines in
      var figure: [String: Any] = ["lines": lines]
      figure["picture"] = picture
      return figure
    }
    return ImportPage.piece("photos", ["figures": figures, "isPair": figures.count > 1])
  }

  private mutating func add(
    _ text: String, to section: Section, of cause: String = ""
  ) throws(StoreError) {
    let known = parts[section, default: [:]]
    let isOther = known[cause] == nil && known.count >= Self.maxKinds
    let kind = isOther ? L10n.words("import.page.otherKinds") : cause
    let content: ReportStream =
      if let part = known[kind] { part.content } else {
        try ReportStream(beside: path, isHidden: true)
      }
    try content.write(text)
    parts[section, default: [:]][kind] = (content, (known[kind]?.count ?? 0) + 1)
  }

  /// Writes a photo's picture to the folder next to the page, and returns its address. Returns `nil` if there are
  /// enough pictures or it can't be read.
  ///
  /// Its file name has a suffix that excludes it from imports.
  private mutating func picture(
    of photo: PhotoAttachmentMetadata, _ cache: PhotoAttachmentCache
  ) throws(StoreError) -> String? {
    let folder = Self.folder(beside: path)
    let digest = photo.preview.sha256.prefix(32)
    let format = photo.preview.format
    let name = digest + PhotoImporter.pictureSuffix + "." + format.fileExtensions[0]
    let plain = CharacterSet.urlPathAllowed.subtracting(["/", "?", "#", ":", ";"])
    let address = [folder, name].compactMap {
      $0.addingPercentEncoding(withAllowedCharacters: plain)
    }
    .joined(separator: "/")
    if pictures.contains(name) { return address }
    guard pictures.count < ImportPage.maxPreviews,
      let bytes = try? cache.blobs.readVerified(photo.preview)
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

  /// Appends the run: its heading, totals, and sections in order.
  func write(
    to main: ReportStream, _ summary: ImportSummary, _ formatter: ImportFormatter,
    _ heading: ImportHeading
  ) throws(StoreError) {
    let sections = Section.allCases.compactMap { section in
      parts[section].map { kinds in
        (section, kinds.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) })
      }
    }
    let numbers = [
      summary.files, summary.imported, summary.duplicates, summary.unchanged, summary.skipped,
      summary.failed,
    ]
    let ending = summary.stopped == nil ? "" : L10n.words("import.page.endedEarly")
    let run = ImportPage.piece(
      "run",
      [
        "date": heading.date, "folders": heading.folders, "command": heading.command,
        "sentence": summary.sentence(formatter) + ending,
        "totals": zip(L10n.list("import.page.totals"), numbers).map {
          ["name": $0, "number": Amounts.number($1)]
        },
        "columns": L10n.list("import.page.columns"), "content": String(Self.content),
        "sections": sections.map { section, kinds -> [String: Any] in
          let isWould = section == .new && formatter.dryRun
          return [
            "title": L10n.words(
              TextKey(rawValue: "import.page.\(isWould ? "wouldBeNew" : section.rawValue)")),
            "count": Amounts.number(kinds.reduce(0) { $0 + $1.value.count }),
            "sheet": section == .new || section == .lookAlikes, "plain": section == .duplicates,
            "table": [.failed, .skipped, .originalsKept].contains(section),
            "kind": section == .skipped || section == .lookAlikes,
            "parts": kinds.map { ["cause": $0.key, "files": Amounts.number($0.value.count)] },
          ]
        },
      ])
    let contents = sections.flatMap { $1.map(\.value.content) }
    for (index, text) in run.split(separator: Self.content, omittingEmptySubsequences: false)
      .enumerated()
    {
      try main.write(String(text))
      if contents.indices.contains(index) { try contents[index].copy(to: main) }
    }
  }
}

/// The heading of a run in a report.
struct ImportHeading {
  /// The imported folders or addresses, as given.
  var folders: [String]
  /// The command line, quoted for a shell.
  var command: String
  /// The time at which the run began.
  var date: String

  /// The heading as JSON.
  var json: JSON {
    ["date": date, "command": command, "folders": folders]
  }
}
