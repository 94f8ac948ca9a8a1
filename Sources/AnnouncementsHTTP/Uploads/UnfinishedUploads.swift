import Foundation

/// Remembers where uploads stand that were begun and not finished, so that the next run of the
/// program goes on with them. A hint and nothing more: without it an upload begins anew.
struct UnfinishedUploads: Sendable {
  private struct Note: Codable {
    let address: URL
    let sha256: String
    let begun: Date
  }

  /// The server forgets an unfinished upload after this many seconds.
  private static let lifetime: TimeInterval = 24 * 3600

  /// The file of the notes; nil to keep none.
  let file: URL?

  /// Reads the notes; `nil` if the file is there and can't be read, or isn't ours: it is left alone then.
  private func read() -> [String: Note]? {
    guard let file else { return [:] }
    do {
      let notes = try JSONDecoder().decode([String: Note].self, from: Data(contentsOf: file))
      return notes.filter { (0..<Self.lifetime).contains(Date().timeIntervalSince($0.value.begun)) }
    } catch CocoaError.fileReadNoSuchFile { return [:] } catch { return nil }
  }

  /// The address of the upload of this photo; nil for another photo.
  ///
  /// - Parameter place: what the photo is for, such as an announcement's address.
  func upload(to place: String, sha256: String) -> URL? {
    read()?[place].flatMap { $0.sha256 == sha256 ? $0.address : nil }
  }

  /// Keeps the address of an upload, or forgets it. What cannot be written is not remembered.
  func note(_ address: URL?, to place: String, sha256: String) {
    guard let file, var notes = read() else { return }
    let before = notes[place]?.address
    notes[place] = address.map { Note(address: $0, sha256: sha256, begun: Date()) }
    guard before != address, let data = try? JSONEncoder().encode(notes) else { return }
    try? data.write(to: file, options: .atomic)
  }
}
