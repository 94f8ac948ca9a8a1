import Foundation
import Glibc
import ImageContainers
import PhotoIngestion
import Synchronization
import SystemPackage

/// Recognizes files that belong to a photo in the same folder (sidecars) by their names, such as the video of a Live
/// Photo.
final class Sidecars: Sendable {
  /// The sidecars and photos of a folder.
  struct Folder {
    /// The names of all sidecars, in lower case.
    var all: Set<String> = []
    /// The names of sidecars as written, by their photo's name in lower case.
    var byPhoto: [String: [[UInt8]]] = [:]
    /// The names of photos as written, by the name of their sidecar.
    var photos: [[UInt8]: Set<[UInt8]>] = [:]
    /// The time of the last change, by this import or by others.
    var changed: timespec?
  }

  /// The folders that were read. An import that removes originals keeps all of them, and reads a folder again if
  /// another program changed it. Any other import visits each folder once, so it keeps only the last one and doesn't
  /// check it for changes.
  private let known = Mutex<[FilePath: Folder]>([:])
  private let keepsAll: Bool

  init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

  /// Returns the results of a group, in which skipped files that belong to a photo are reported as sidecars.
  func recognized(_ files: [ImportedFile], in group: [ImportFinding]) -> [ImportedFile] {
    zip(files, group).map { file, finding in
      var file = file
      switch (file.outcome, finding.path) {
      case (.skipped(.photo(.unsupportedFormat(detected: let type))), .file(let found, _))
      where isSidecar(FilePath(bytes: found.key)):
        file.outcome = .skipped(.sidecar(detected: type))
      case (.skipped(.photo(.empty)), .file(let found, _))
      where isSidecar(FilePath(bytes: found.key)):
        file.outcome = .skipped(.sidecar(detected: nil))
      case (.failed(.photo(.unreadable(.system(errno: ENOENT)))), let path) where keepsAll:
        // It was moved along with its photo.
        let key: FilePath? =
          if case .file(let found, _) = path { FilePath(bytes: found.key) } else { nil }
        if isSidecar(key ?? place(of: file.path)) {
          file.outcome = .skipped(.sidecar(detected: nil))
        }
      default: break
      }
      return file
    }
  }

  /// Returns the absolute path without links of a file that is gone.
  private func place(of path: FilePath) -> FilePath {
    let folder = FilePath(bytes: WalkRoot(path.removingLastComponent()).real)
    return path.lastComponent.map { folder.appending($0) } ?? folder
  }

  private func isSidecar(_ path: FilePath) -> Bool {
    let name = Self.text(Self.name(of: path))
    // An unreadable folder only changes the wording of a report.
    return (try? folder(path.removingLastComponent()))?.all.contains(name) ?? false
  }

  /// Returns the names of the files that belong to a photo in its folder.
  ///
  /// - Parameter alone: `true` to leave out files that also belong to another existing photo.
  /// - Throws: an error if the folder can't be read.
  func sidecars(
    of file: FoundFile, alone: Bool = false
  ) throws(SourceKeptReason) -> [[UInt8]] {
    let path = FilePath(bytes: file.key)
    let name = Self.name(of: path)
    let folder = try folder(path.removingLastComponent())
    let found = folder.byPhoto[Self.text(name)] ?? []
    return alone ? found.filter { folder.photos[$0]?.subtracting([name]).isEmpty ?? true } : found
  }

  /// Returns the date in a photo's Takeout metadata, or `nil` without any that can be read.
  func takenDate(of file: FoundFile) -> TakenDate? {
    let folder = FilePath(bytes: file.key).removingLastComponent()
    // A date is only searched by, so metadata that can't be read is as good as none.
    let names = (try? sidecars(of: file)) ?? []
    for name in names where Self.text(name).hasSuffix(".json") {
      guard let open = OpenFile(json: name, in: folder), let bytes = try? open.readPrefix(64 << 10),
        let date = TakenDate(takeout: Data(bytes))
      else { continue }
      return date
    }
    return nil
  }

  /// Calls `take`, and then updates the known folder with the change that this import has made.
  ///
  /// - Parameter take: removes the photo, or restores its name. Returns `true` if it is gone.
  func changing(_ file: FoundFile, _ take: () -> Bool) {
    let path = FilePath(bytes: file.key)
    let place = path.removingLastComponent()
    known.withLock { known in
      let isCurrent = known[place].map { Self.isCurrent($0, place) } ?? false
      let isGone = take()
      guard isCurrent else { return }
      known[place]?.changed = Self.changed(place)
      guard isGone else { return }
      let name = Self.name(of: path)
      for sidecar in known[place]?.byPhoto[Self.text(name)] ?? [] {
        known[place]?.photos[sidecar]?.remove(name)
      }
    }
  }

  private static func isCurrent(_ folder: Folder, _ path: FilePath) -> Bool {
    guard let now = changed(path), let then = folder.changed else { return false }
    return now.tv_sec == then.tv_sec && now.tv_nsec == then.tv_nsec
  }

  /// Returns the time at which a folder last changed; `nil` if it can't be read.
  private static func changed(_ path: FilePath) -> timespec? {
    var status = stat()
    return path.withPlatformString { stat($0, &status) } == 0 ? status.st_ctim : nil
  }

  private static func name(of path: FilePath) -> [UInt8] {
    path.lastComponent.map { FilePath(root: nil, [$0]).rawBytes } ?? []
  }

  /// Returns a name in lower case. Names that aren't UTF-8 stay distinct.
  private static func text(_ name: [UInt8]) -> String {
    (String(validating: name, as: UTF8.self)
      ?? String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) }))).lowercased()
  }

  /// Returns `true` if the file has a photo's extension.
  static func isPhoto(_ name: [UInt8]) -> Bool {
    let name = text(name)
    return photoExtensions.contains { name.hasSuffix("." + $0) }
  }

  /// Returns those of the photos that a file of this name belongs to. The photos' names are in lower case.
  static func photos(of name: String, among photos: Set<String>) -> [String] {
    let name = name.lowercased()
    guard let dot = name.lastIndex(of: ".") else { return [] }
    let stem = String(name[..<dot])
    func named(_ stem: String) -> [String] {
      photoExtensions.map { stem + "." + $0 }.filter(photos.contains)
    }
    switch name[dot...].dropFirst() {
    case "mov", "mp4", "m4v", "3gp": return named(stem)
    // `PXL_1.MP` of a Pixel phone belongs to `PXL_1.MP.jpg`.
    case "mp", "mv": return named(stem) + named(name)
    // An iPhone stores current edits of `IMG_1.HEIC` in `IMG_1.AAE` and earlier ones in `IMG_O1.AAE`.
    case "aae": return named(stem) + named(stem.replacing("img_o", with: "img_"))
    case "xmp": return photos.contains(stem) ? [stem] : named(stem)
    case "json": return takeout(stem, photos)
    default: return []
    }
  }

  private static let photoExtensions = ImageFormat.allCases.flatMap(\.fileExtensions)

  /// Returns the photos of a Google Takeout metadata file. Its name is `rex.jpg.json`, or
  /// `rex.jpg.supplemental-metadata.json` in full or shortened, even within the photo's extension (`rex.jp`). It is
  /// `rex.jpg(1).json` for `rex(1).jpg`. Longer names are cut to 46 characters.
  private static func takeout(_ stem: String, _ photos: Set<String>) -> [String] {
    var stem = stem
    var number = ""
    if let match = stem.wholeMatch(of: /(.+)(\([0-9]+\))/) {
      stem = String(match.1)
      number = String(match.2)
    }
    func named(_ photo: String) -> [String] {
      guard let dot = photo.lastIndex(of: ".") else { return [] }
      return [photo[..<dot] + number + photo[dot...], photo + number].filter(photos.contains)
    }
    let found = named(stem) + [stem + number].filter(photos.contains)
    if !found.isEmpty { return found }
    if let dot = stem.lastIndex(of: "."),
      "supplemental-metadata".hasPrefix(stem[dot...].dropFirst())
    {
      let rest = String(stem[..<dot])
      let found = named(rest)
      if !found.isEmpty { return found }
      // The photo's name was cut within its extension or after 46 characters. If two photos match, don't guess.
      let cut = photos.filter { photo in
        guard let dot = photo.lastIndex(of: "."), photo[..<dot].hasSuffix(number) else {
          return false
        }
        let stem = photo[..<dot].dropLast(number.count)
        return (stem + photo[dot...]).hasPrefix(rest)
          && (stem.count <= rest.count || rest.count >= 46)
      }
      if cut.count == 1 { return Array(cut) }
    }
    return stem.count >= 46 ? photos.filter { $0.hasPrefix(stem) }.sorted() : []
  }

  private func folder(_ path: FilePath) throws(SourceKeptReason) -> Folder {
    try known.withLock { known throws(SourceKeptReason) in
      if let folder = known[path], !keepsAll || Self.isCurrent(folder, path) { return folder }
      var folder = try Self.readFolder(path)
      // Sidecars that were moved with their photos are still reported as sidecars.
      folder.all.formUnion(known[path]?.all ?? [])
      if !keepsAll { known = [:] }
      known[path] = folder
      return folder
    }
  }

  private static func readFolder(_ path: FilePath) throws(SourceKeptReason) -> Folder {
    var folder = Folder()
    let descriptor = path.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .failed(errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .failed(errno: errno) }
    folder.changed = status.st_ctim
    guard let names = FolderNames(of: descriptor) else { throw .failed(errno: errno) }
    let texts = (0..<names.count).map { text(names[$0]) }
    var named: [String: Set<[UInt8]>] = [:]
    for (number, text) in texts.enumerated() where isPhoto(names[number]) {
      named[text, default: []].insert(names[number])
    }
    let photos = Set(named.keys)
    for (number, name) in texts.enumerated() {
      let found = Self.photos(of: name, among: photos)
      if !found.isEmpty { folder.all.insert(name) }
      for photo in Set(found) {
        folder.byPhoto[photo, default: []].append(names[number])
        folder.photos[names[number], default: []].formUnion(named[photo] ?? [])
      }
    }
    return folder
  }
}
