package import Foundation
import Glibc
import ImageContainers
import PhotoIngestion

/// Copies photos into a folder that the user names. Names of copies come from strangers' file names, cleaned to be
/// readable. The date of a copy is the date when the photo was taken, or else stored. Existing files are never
/// overwritten.
package struct PhotoExport {
  private let cache: PhotoAttachmentCache
  private let maxSide: Int?
  /// The paths of this export's copies. Two photos never share one.
  private var copies: Set<String> = []
  /// The folders that this export has written to.
  private var folders: Set<String> = []

  /// Creates an export that has copied nothing yet.
  ///
  /// - Parameter maxSide: the size to copy as a JPEG instead of the blob. If a photo doesn't have this size, the next
  ///   smaller one is copied.
  package init(from cache: PhotoAttachmentCache, size maxSide: Int?) {
    self.cache = cache
    self.maxSide = maxSide
  }

  /// Copies a photo. The copy gets a number if its name is taken. Blocks.
  ///
  /// - Parameters:
  ///   - name: the name of the original, by which the copy is named.
  ///   - unlessThere: `true` to accept a copy that an earlier export made instead of writing another one.
  /// - Returns: the copy, and `true` if it was written now.
  package mutating func write(
    _ found: FoundPhoto, as name: String, to folder: String, unlessThere: Bool = false
  ) throws(StoreError) -> (file: URL, isNew: Bool) {
    let picture = try picture(of: found.photo)
    try ExportName.makeFolder(folder)
    if folders.insert(folder).inserted { ExportPart.removeAbandoned(in: folder) }
    var number = 1
    while true {
      let path = Self.path(name, picture, number, in: folder)
      number += 1
      if copies.contains(path) { continue }
      let isThere = try unlessThere ? Self.isCopy(path, of: picture) : false
      if !isThere {
        guard try write(found, picture, as: path, in: folder) else { continue }
      }
      copies.insert(path)
      return (URL(fileURLWithPath: path), !isThere)
    }
  }

  private func picture(of photo: PhotoAttachmentMetadata) throws(StoreError) -> StoredPicture {
    guard let maxSide else { return photo.blob }
    let ladder = PhotoSize.ladder(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight)
    // A photo that has no size this small is exported in its smallest size.
    let size = ladder.last { $0.maxSide <= maxSide } ?? ladder[0]
    return try cache.picture(SizeForm(size, .jpeg), of: photo)
  }

  private static func path(
    _ name: String, _ picture: StoredPicture, _ number: Int, in folder: String
  ) -> String {
    let stem = ExportName.stem(of: name)
    let name = (number == 1 ? stem : "\(stem)-\(number)") + "." + picture.format.fileExtensions[0]
    return folder + "/" + name
  }

  /// Writes a copy completely or not at all. Returns `false` if the name is taken.
  private func write(
    _ found: FoundPhoto, _ picture: StoredPicture, as path: String, in folder: String
  ) throws(StoreError) -> Bool {
    if try SystemCalls.status(path, path: path) != nil { return false }
    let bytes = try cache.blobs.readVerified(picture)
    return try ExportPart(in: folder, for: path).finish(bytes, dated: Self.date(of: found))
  }

  /// Returns `true` if a file contains the bytes of this picture. Reads the file, because it may have changed and kept
  /// its size and date. A file without read permission belongs to someone else, so it isn't a copy.
  ///
  /// - Throws: `StoreError.storage` if the file can't be read for another reason.
  private static func isCopy(_ path: String, of picture: StoredPicture) throws(StoreError) -> Bool {
    guard let status = try SystemCalls.status(path, path: path),
      status.st_mode & S_IFMT == S_IFREG, status.st_size == picture.sizeBytes
    else { return false }
    do throws(StoreError) {
      let file = try SystemCalls.open(path, flags: O_RDONLY | O_NONBLOCK, path: path)
      return try PictureBody.file(.regular(file, path: path)).isSound(sha256: picture.sha256)
    } catch {
      switch error {
      // The file was replaced or shortened at this moment.
      case .fault, .storage(_, _, ENOENT), .storage(_, _, ELOOP), .storage(_, _, EACCES):
        return false
      default: throw error
      }
    }
  }

  /// Returns the date when a photo was taken, or else stored.
  private static func date(of found: FoundPhoto) -> timespec {
    let date = found.taken.flatMap { Self.date($0.text) } ?? found.photo.savedAt
    return timespec(tv_sec: Int(date.timeIntervalSince1970), tv_nsec: 0)
  }

  /// Parses a day, or a date such as `2024-05-06T10:11:12` with or without a time zone. The default is this machine's
  /// time zone, and noon.
  private static func date(_ text: String) -> Date? {
    let text = text.count == 10 ? text + "T12:00:00" : text
    var form = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
      .time(includingFractionalSeconds: false)
    if text.count > 19 { form = form.timeZone(separator: .colon) }
    return try? form.parse(text)
  }
}

/// File and folder names of exported photos.
package enum ExportName {
  /// Creates a folder, including missing parents.
  static func makeFolder(_ path: String) throws(StoreError) {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw StoreError(operation: "export", path: path, errno: ENOTDIR)
      }
      return
    }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    if !parent.isEmpty { try makeFolder(parent) }
    // Another process may have created it at the same moment.
    if mkdir(path, 0o777) != 0, errno != EEXIST {
      throw StoreError(operation: "mkdir", path: path, errno: errno)
    }
  }

  /// Returns the original's name, cleaned and without its extension.
  static func stem(of fileName: String) -> String {
    let base = fileName.split(separator: "/", omittingEmptySubsequences: true).last ?? ""
    var stem = String(base)
    if let dot = stem.lastIndex(of: "."), dot != stem.startIndex { stem = String(stem[..<dot]) }
    stem = cleaned(stem)
    return stem.isEmpty ? "photo" : stem
  }

  /// Replaces or removes characters that paths, terminals or other file systems can't handle. The result has at most
  /// 100 bytes. It is empty if nothing is left.
  package static func cleaned(_ name: String) -> String {
    let unsafe = Set<Character>("\\:*?\"<>|")
    var stem = String(
      name.map { character in
        let isOdd = character.unicodeScalars.contains {
          [.control, .format, .lineSeparator, .paragraphSeparator].contains(
            $0.properties.generalCategory)
        }
        return isOdd || unsafe.contains(character) ? "_" : character
      })
    while let first = stem.first, ". -".contains(first) { stem.removeFirst() }
    while stem.utf8.count > 100 { stem.removeLast() }
    while let last = stem.last, ". ".contains(last) { stem.removeLast() }
    return stem
  }
}
