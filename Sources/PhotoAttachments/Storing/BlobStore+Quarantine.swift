import Glibc
import ImageContainers
import PhotoIngestion

/// A damaged file that was moved out of the store; its name tells what is known of it:
/// `blobs-<name's digest>-<problem>-<its digest>-<time>-<random>.jpg`.
struct QuarantinedFile: Sendable {
  /// The place it was taken from, without the extension: store and digest.
  var origin: String
  /// SHA-256 of its bytes; `unread` when they could not be read.
  var holds: String
  /// Path below the cache folder.
  var path: String

  /// What a name in `quarantine/` tells, nil when it is none of ours.
  init?(name: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    origin = "\(parts[0])-\(parts[1])"
    holds = String(parts[3])
    path = "quarantine/" + name
  }

  /// Whether it was taken from there.
  func isFrom(_ place: BlobPath) -> Bool { origin == Self.origin(place) }

  static func origin(_ place: BlobPath) -> String { "\(place.kind.rawValue)-\(place.sha256)" }
}

extension BlobStore {
  /// Moves a damaged file out of the store, so that it is never served and another picture of its
  /// name is stored anew. Nothing is overwritten or deleted. Call it in a write transaction, after a
  /// look in the same transaction.
  ///
  /// - Parameters:
  ///   - identity: the file that was looked at; another one that took its place stays.
  ///   - holds: digest of its bytes, nil when they cannot be read.
  /// - Returns: its new path below the cache folder; nil when another file took its place.
  func quarantine(
    _ place: BlobPath, _ identity: FileIdentity, problem: StoreProblem, holds: String?
  ) throws(PhotoError) -> String? {
    let target = try quarantineFolder()
    defer { close(target) }
    let random = String(UInt64.random(in: .min ... .max), radix: 16)
    let name =
      "\(QuarantinedFile.origin(place))-\(problem.rawValue)-\(holds ?? "unread")-\(time(nil))-"
      + random + "." + place.format.fileExtensions[0]
    let path = absolute(place)
    var isOurs = false
    try withShard(place, make: false) { shard throws(PhotoError) in
      try SystemCalls.check("rename", path) { Int(renameat(shard, place.name, target, name)) }
      var moved = stat()
      isOurs =
        fstatat(target, name, &moved, AT_SYMLINK_NOFOLLOW) == 0
        && moved.st_ino == UInt64(bitPattern: identity.inode)
      if !isOurs {
        // Somebody stored the picture anew in between.
        try SystemCalls.check("rename", path) { Int(renameat(target, name, shard, place.name)) }
      }
      try SystemCalls.sync(folder: target, path: folder.path + "/quarantine")
      try SystemCalls.sync(folder: shard, path: path)
    }
    return isOurs ? "quarantine/" + name : nil
  }

  /// Which file lies under a picture's name, links not followed.
  func identity(_ place: BlobPath) -> FileIdentity? {
    var status = stat()
    return lstat(absolute(place), &status) == 0 ? FileIdentity(status) : nil
  }

  /// What lies in quarantine.
  func quarantinedFiles() throws(PhotoError) -> [QuarantinedFile] {
    try folder.entries(of: "quarantine").compactMap(QuarantinedFile.init(name:))
  }

  /// The bytes of a quarantined file, nil unless they have this digest.
  func read(_ file: QuarantinedFile, sha256 digest: String) -> [UInt8]? {
    let path = folder.path + "/" + file.path
    guard let descriptor = try? SystemCalls.open(path, flags: O_RDONLY | O_NONBLOCK, path: path)
    else { return nil }
    defer { close(descriptor) }
    let bytes = try? SystemCalls.readAll(from: descriptor, path: path)
    return bytes.flatMap { sha256(of: $0) == digest ? $0 : nil }
  }

  private func quarantineFolder() throws(PhotoError) -> Int32 {
    let path = folder.path + "/quarantine"
    if mkdir(path, 0o700) == 0 {
      let parent = try SystemCalls.open(
        folder.path, flags: O_RDONLY | O_DIRECTORY, path: folder.path)
      defer { close(parent) }
      try SystemCalls.sync(folder: parent, path: folder.path)
    } else if errno != EEXIST {
      throw PhotoError(operation: "mkdir", path: path, errno: errno)
    }
    return try SystemCalls.open(path, flags: O_RDONLY | O_DIRECTORY, path: path)
  }
}
