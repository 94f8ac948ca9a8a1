import Foundation
import Glibc

/// A record of unfinished uploads, which lets the next run of the program continue them. It is only a hint: if it is
/// missing, uploads start from the beginning.
struct UnfinishedUploads: Sendable {
  private struct Note: Codable {
    let address: URL
    let sha256: String
    let begun: Date
  }

  /// The time in seconds after which the server deletes an unfinished upload.
  private static let lifetime: TimeInterval = 24 * 3600

  /// The file of the record, or `nil` to record nothing.
  let file: URL?

  /// Reads the record. Returns `nil` if the file exists but can't be read or has other contents. The caller then leaves
  /// it unchanged.
  private func readRecord() -> [String: Note]? {
    guard let file else { return [:] }
    do {
      let notes = try JSONDecoder().decode([String: Note].self, from: Data(contentsOf: file))
      return notes.filter { (0..<Self.lifetime).contains(Date().timeIntervalSince($0.value.begun)) }
    } catch CocoaError.fileReadNoSuchFile { return [:] } catch { return nil }
  }

  /// Returns the address of the unfinished upload of this photo, if any.
  ///
  /// - Parameter destination: the destination of the photo, such as an announcement's address.
  func upload(to destination: String, sha256: String) -> URL? {
    readRecord()?[destination].flatMap { $0.sha256 == sha256 ? $0.address : nil }
  }

  /// Records the address of an upload to `destination`, or removes the recorded one if `address` is `nil`. Ignores
  /// write errors.
  func recordAddress(_ address: URL?, to destination: String, sha256: String) {
    guard let file else { return }
    // Other uploads and processes change the record, too. Every change replaces the file, so another one is locked.
    let lock = open(file.path + ".lock", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { return }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 { guard errno == EINTR else { return } }
    guard var notes = readRecord() else { return }
    let before = notes[destination]?.address
    notes[destination] = address.map { Note(address: $0, sha256: sha256, begun: Date()) }
    guard before != address, let data = try? JSONEncoder().encode(notes) else { return }
    try? data.write(to: file, options: .atomic)
  }
}
