import Foundation
import Glibc
import PhotoIngestion
import Synchronization
import SystemPackage

/// Recognizes files that go with a photo in their folder, by their names.
final class Sidecars: Sendable {
  /// The last folder that was asked for: a walk goes through one after the other.
  private let last = Mutex<(folder: FilePath, photos: Set<String>)?>(nil)

  /// What became of the files of a group: those that were skipped and go with a photo say so.
  func recognized(_ files: [ImportedFile], in group: [ImportFinding]) -> [ImportedFile] {
    zip(files, group).map { file, finding in
      guard case .file(let found, _) = finding.path else { return file }
      var file = file
      switch file.outcome {
      case .skipped(.photo(.unsupportedFormat(detected: let type))) where isSidecar(found):
        file.outcome = .skipped(.sidecar(detected: type))
      case .skipped(.photo(.empty)) where isSidecar(found):
        file.outcome = .skipped(.sidecar(detected: nil))
      default: break
      }
      return file
    }
  }

  private func isSidecar(_ file: FoundFile) -> Bool {
    let path = FilePath(bytes: file.key)
    guard let name = path.lastComponent?.string else { return false }
    return Self.isSidecar(name, among: { photos(in: path.removingLastComponent()) })
  }

  /// Whether a file of this name goes with one of the photos, whose names are in lower case.
  static func isSidecar(_ name: String, among photos: () -> Set<String>) -> Bool {
    let name = name.lowercased()
    guard let dot = name.lastIndex(of: ".") else { return false }
    let stem = String(name[..<dot])
    switch name[dot...].dropFirst() {
    case "mov": return hasPhoto(stem, photos())
    // An iPhone's edits of `IMG_1.HEIC` lie in `IMG_1.AAE`, those of before in `IMG_O1.AAE`.
    case "aae":
      return [stem, stem.replacing("img_o", with: "img_")].contains { hasPhoto($0, photos()) }
    case "xmp": return photos().contains(stem) || hasPhoto(stem, photos())
    case "json": return isTakeout(stem, photos())
    default: return false
    }
  }

  private static let photoExtensions = [
    "heic", "jpg", "jpeg", "png", "heif", "hif", "webp", "gif", "jpe",
  ]

  private static func hasPhoto(_ stem: String, _ photos: Set<String>) -> Bool {
    photoExtensions.contains { photos.contains(stem + "." + $0) }
  }

  /// Whether Google Takeout names the metadata of one of the photos like this: `rex.jpg.json`,
  /// `rex.jpg.supplemental-metadata.json` or shortened, `rex.jpg(1).json` for `rex(1).jpg`, and the
  /// first 46 characters of longer names.
  private static func isTakeout(_ stem: String, _ photos: Set<String>) -> Bool {
    var stem = stem
    var number = ""
    if let match = stem.wholeMatch(of: /(.+)(\([0-9]+\))/) {
      stem = String(match.1)
      number = String(match.2)
    }
    func isPhoto(_ photo: String) -> Bool {
      guard let dot = photo.lastIndex(of: ".") else { return false }
      return photos.contains(photo[..<dot] + number + photo[dot...])
        || photos.contains(photo + number)
    }
    if isPhoto(stem) || photos.contains(stem + number) { return true }
    if let dot = stem.lastIndex(of: "."),
      "supplemental-metadata".hasPrefix(stem[dot...].dropFirst()), isPhoto(String(stem[..<dot]))
    {
      return true
    }
    return stem.count >= 46 && photos.contains { $0.hasPrefix(stem) }
  }

  /// The names in a folder that are those of photos, in lower case.
  private func photos(in folder: FilePath) -> Set<String> {
    last.withLock { last in
      if let last, last.folder == folder { return last.photos }
      let photos = Self.read(folder)
      last = (folder, photos)
      return photos
    }
  }

  private static func read(_ folder: FilePath) -> Set<String> {
    let descriptor = folder.withPlatformString {
      open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    guard let names = FolderNames(of: descriptor) else { return [] }
    let lowered = (0..<names.count).map {
      String(decoding: names[$0], as: UTF8.self).lowercased()
    }
    return Set(lowered.filter { name in photoExtensions.contains { name.hasSuffix("." + $0) } })
  }
}
