package import Foundation
import Glibc
import ImageContainers
import PhotoIngestion

/// Copies photos into a folder that a person names, under readable names made of names that strangers
/// chose, dated when they were taken, or else stored. No file that is there is overwritten.
package struct PhotoExport {
  private let cache: PhotoAttachmentCache
  private let maxSide: Int?
  /// What this export has put somewhere: two photos never share a copy.
  private var copies: Set<String> = []

  /// - Parameter maxSide: the size that is copied instead of the blob, as a JPEG, or the next smaller one.
  package init(from cache: PhotoAttachmentCache, size maxSide: Int?) {
    self.cache = cache
    self.maxSide = maxSide
  }

  /// Copies a photo; where a name is taken the copy gets a number. Blocks.
  ///
  /// - Parameter unlessThere: whether a copy from an earlier export, which the folder has, is enough.
  /// - Returns: the copy, and whether it was written now.
  package mutating func write(
    _ photo: PhotoAttachmentMetadata, to folder: String, unlessThere: Bool = false
  ) throws(StoreError) -> (file: URL, isNew: Bool) {
    let picture = try picture(of: photo)
    try ExportName.makeFolder(folder)
    var number = 1
    while true {
      let path = Self.path(photo, picture, number, in: folder)
      number += 1
      if copies.contains(path) { continue }
      let isThere = unlessThere && Self.isCopy(path, of: picture, Self.date(of: photo, picture))
      if !isThere {
        guard try write(photo, picture, as: path, in: folder) else { continue }
      }
      copies.insert(path)
      return (URL(fileURLWithPath: path), !isThere)
    }
  }

  private func picture(of photo: PhotoAttachmentMetadata) throws(StoreError) -> StoredPicture {
    guard let maxSide else { return photo.blob }
    let ladder = PhotoSize.ladder(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight)
    // Photos that are smaller than that are exported as they are.
    let size = ladder.last { $0.maxSide <= maxSide } ?? ladder[0]
    return try cache.picture(SizeForm(size, .jpeg), of: photo)
  }

  private static func path(
    _ photo: PhotoAttachmentMetadata, _ picture: StoredPicture, _ number: Int, in folder: String
  ) -> String {
    let stem = ExportName.stem(of: photo.fileName)
    let name = (number == 1 ? stem : "\(stem)-\(number)") + "." + picture.format.fileExtensions[0]
    return folder + "/" + name
  }

  /// Writes a copy whole or not at all; false where the name is taken.
  private func write(
    _ photo: PhotoAttachmentMetadata, _ picture: StoredPicture, as path: String, in folder: String
  ) throws(StoreError) -> Bool {
    var status = stat()
    if lstat(path, &status) == 0 { return false }
    let bytes = try cache.blobs.proved(picture)
    // Random, because another export of the same photo may run.
    let part = folder + "/.petspot-\(UUID().uuidString).part"
    let file = try SystemCalls.open(
      part, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644, path: path)
    do throws(StoreError) {
      do throws(StoreError) {
        try SystemCalls.write(bytes, to: file, path: path)
      } catch {
        Glibc.close(file)
        throw error
      }
      let date = Self.date(of: photo, picture)
      _ = withUnsafePointer(to: (date, date)) {
        $0.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(file, $0) }
      }
      try SystemCalls.closeWritten(file, path: path)
      let code = ExclusiveRename.rename(part, from: AT_FDCWD, path, to: AT_FDCWD)
      if code == 0 { return true }
      guard code == EEXIST else { throw StoreError(operation: "rename", path: path, errno: code) }
      unlink(part)
      return false
    } catch {
      unlink(part)
      throw error
    }
  }

  /// Whether a file is this picture's copy: by its size and date, else by its content.
  private static func isCopy(_ path: String, of picture: StoredPicture, _ date: timespec) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size == picture.sizeBytes
    else { return false }
    if status.st_mtim.tv_sec == date.tv_sec, status.st_mtim.tv_nsec == date.tv_nsec { return true }
    guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return false }
    return sha256(of: [UInt8](bytes)) == picture.sha256
  }

  /// When a photo was taken, else stored. The part of a second says which picture it is, so that a copy is
  /// known without reading it.
  private static func date(of photo: PhotoAttachmentMetadata, _ picture: StoredPicture) -> timespec
  {
    let date = photo.source.capturedAt.flatMap(Self.date) ?? photo.savedAt
    let digest = Int(picture.sha256.prefix(8), radix: 16) ?? 0
    return timespec(tv_sec: Int(date.timeIntervalSince1970), tv_nsec: digest % 1_000_000_000)
  }

  /// The moment of `2024-05-06T10:11:12` with or without a time zone; without one, in this machine's.
  private static func date(_ text: String) -> Date? {
    var form = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
      .time(includingFractionalSeconds: false)
    if text.count > 19 { form = form.timeZone(separator: .colon) }
    return try? form.parse(text)
  }
}

/// Names of exported photos and their folders.
package enum ExportName {
  /// Makes what is missing of a folder.
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
    // Another process may have been faster.
    if mkdir(path, 0o777) != 0, errno != EEXIST {
      throw StoreError(operation: "mkdir", path: path, errno: errno)
    }
  }

  /// The original's name without its extension, cleaned.
  static func stem(of fileName: String) -> String {
    let base = fileName.split(separator: "/", omittingEmptySubsequences: true).last ?? ""
    var stem = String(base)
    if let dot = stem.lastIndex(of: "."), dot != stem.startIndex { stem = String(stem[..<dot]) }
    stem = cleaned(stem)
    return stem.isEmpty ? "photo" : stem
  }

  /// A name without anything that a path, a terminal, or another file system could take amiss; at most 100
  /// bytes, and empty if nothing is left.
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
