import Foundation
import Glibc
import ImageContainers
import PhotoIngestion
import Synchronization
import SystemPackage

/// Recognizes files that go with a photo in their folder, by their names.
final class Sidecars: Sendable {
  /// The files of a folder that go together.
  struct Folder {
    /// Sidecars, in lower case.
    var all: Set<String> = []
    /// Sidecars as they are named, by their photo's name in lower case.
    var byPhoto: [String: [[UInt8]]] = [:]
    /// Photos as they are named, by the name of their sidecar.
    var photos: [[UInt8]: Set<[UInt8]>] = [:]
    /// When it was changed last, by others or by this import.
    var changed: timespec?
  }

  /// Folders as they were when they were last changed by others: all of them where their files are moved, else
  /// the last one, as it was when it was first asked for, because a walk goes through one after the other.
  private let known = Mutex<[FilePath: Folder]>([:])
  private let keepsAll: Bool

  init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

  /// What became of the files of a group: those that were skipped and go with a photo say so.
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
        // It was moved with its photo.
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

  /// Where a path that is gone was, without links.
  private func place(of path: FilePath) -> FilePath {
    let folder = FilePath(bytes: WalkRoot(path.removingLastComponent()).real)
    return path.lastComponent.map { folder.appending($0) } ?? folder
  }

  private func isSidecar(_ path: FilePath) -> Bool {
    let name = Self.text(Self.name(of: path))
    // Only words depend on it.
    return (try? folder(path.removingLastComponent()))?.all.contains(name) ?? false
  }

  /// The names of the files that go with a photo, in its folder.
  ///
  /// - Parameter alone: whether those are left out that go with another photo, too, which is still there.
  /// - Throws: if the folder cannot be read.
  func sidecars(
    of file: FoundFile, alone: Bool = false
  ) throws(SourceKeptReason) -> [[UInt8]] {
    let path = FilePath(bytes: file.key)
    let name = Self.name(of: path)
    let folder = try folder(path.removingLastComponent())
    let found = folder.byPhoto[Self.text(name)] ?? []
    return alone ? found.filter { folder.photos[$0]?.subtracting([name]).isEmpty ?? true } : found
  }

  /// Notes that this import took a photo away, or gave it its name back.
  ///
  /// - Parameter take: takes it away, and returns whether it is gone.
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

  /// When a folder was changed last, nil when it cannot be asked.
  private static func changed(_ path: FilePath) -> timespec? {
    var status = stat()
    return path.withPlatformString { stat($0, &status) } == 0 ? status.st_ctim : nil
  }

  private static func name(of path: FilePath) -> [UInt8] {
    path.lastComponent.map { FilePath(root: nil, [$0]).rawBytes } ?? []
  }

  /// A name in lower case. Names that are no UTF-8 stay apart.
  private static func text(_ name: [UInt8]) -> String {
    (String(validating: name, as: UTF8.self)
      ?? String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) }))).lowercased()
  }

  /// Whether a file's name is that of a photo.
  static func isPhoto(_ name: [UInt8]) -> Bool {
    let name = text(name)
    return photoExtensions.contains { name.hasSuffix("." + $0) }
  }

  /// Those of the photos, whose names are in lower case, that a file of this name goes with.
  static func photos(of name: String, among photos: Set<String>) -> [String] {
    let name = name.lowercased()
    guard let dot = name.lastIndex(of: ".") else { return [] }
    let stem = String(name[..<dot])
    func named(_ stem: String) -> [String] {
      photoExtensions.map { stem + "." + $0 }.filter(photos.contains)
    }
    switch name[dot...].dropFirst() {
    case "mov", "mp4", "m4v", "3gp": return named(stem)
    // A Pixel's `PXL_1.MP` belongs to `PXL_1.MP.jpg`.
    case "mp", "mv": return named(stem) + named(name)
    // An iPhone's edits of `IMG_1.HEIC` lie in `IMG_1.AAE`, those of before in `IMG_O1.AAE`.
    case "aae": return named(stem) + named(stem.replacing("img_o", with: "img_"))
    case "xmp": return photos.contains(stem) ? [stem] : named(stem)
    case "json": return takeout(stem, photos)
    default: return []
    }
  }

  private static let photoExtensions = ImageFormat.allCases.flatMap(\.fileExtensions)

  /// The photos whose metadata Google Takeout names like this: `rex.jpg.json`,
  /// `rex.jpg.supplemental-metadata.json` or shortened, also within the extension (`rex.jp`),
  /// `rex.jpg(1).json` for `rex(1).jpg`, and the first 46 characters of longer names.
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
      // The name was cut within its extension, or after 46 characters; two such photos would be a guess.
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
      var folder = try Self.read(path)
      // Those that were moved with their photos are still told of as what they were.
      folder.all.formUnion(known[path]?.all ?? [])
      if !keepsAll { known = [:] }
      known[path] = folder
      return folder
    }
  }

  private static func read(_ path: FilePath) throws(SourceKeptReason) -> Folder {
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
