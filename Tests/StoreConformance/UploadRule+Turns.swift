import Foundation
package import PhotoAttachments

extension UploadRule {
  static let turns = [
    Self("A newer request cuts the older one, whose bytes are kept") { place, found in
      let store = try place.open()
      let token = try store.make(6).token
      let older = try store.writer(token, at: 0)
      try older.write([1, 2])
      // The newer request queries the offset of the older one, as clients do.
      found.equal(try store.fetchUpload(token).offset, 2)
      found.refuses(.cut) { try older.write([3]) }
      let newer = try store.writer(token, at: 2)
      try newer.write([3, 4])
      found.refuses(.wrongOffset(expected: 4)) { try store.writer(token, at: 2) }
      found.refuses(.cut) { try newer.write([5]) }
      found.refuses(.cut) { try newer.finish(.confirmed) }
      newer.close()
      older.close()
      let last = try store.writer(token, at: 4)
      try last.write([5, 6])
      found.equal(try last.sync(), 6)
      found.equal(try last.bytes(), [1, 2, 3, 4, 5, 6])
    },
    Self("Once all bytes are here it is held until it is finished or let go") { place, found in
      let store = try place.open()
      let token = try store.make(2).token
      let writer = try store.writer(token, at: 0)
      try writer.write([1, 2])
      found.equal(try writer.sync(), 2)
      for store in [store, try place.open()] {
        found.refuses(.inUse) { try store.writer(token, at: 2) }
        found.refuses(.inUse) { try store.remove(token, owner: "draft:1") }
        found.equal(try store.fetchUpload(token).offset, 2)
      }
      found.equal(try writer.bytes(), [1, 2])
      writer.close()
      // The photo failed because of an internal error, so the next request tries again.
      let next = try place.open().writer(token, at: 2, adding: 0)
      found.equal(try next.sync(), 2)
      found.equal(try next.bytes(), [1, 2])
      try next.finish(.confirmed)
      found.equal(try store.fetchUpload(token).outcome, .confirmed)
      found.refuses(.cut) { try writer.finish(.confirmed) }
    },
    Self("A writer that nobody closes lets go by itself") { place, found in
      let store = try place.open()
      let token = try store.make(2).token
      try store.writer(token, at: 0).write([1])
      found.equal(try store.writer(token, at: 1).sync(), 1)
      try store.writer(token, at: 1).write([2])
      _ = try store.writer(token, at: 2).sync()
      found.equal(try store.writer(token, at: 2).bytes(), [1, 2])
    },
    Self("Many at once leave one whole file, made into a photo once") { place, found in
      let (stores, bytes) = (try (0..<2).map { _ in try place.open() }, bytes(200_000))
      let token = try stores[0].make(bytes.count).token
      let finished = try sentAtOnce(bytes, as: token, to: stores, piece: 6000)
      found.expect(finished.allSatisfy { $0 == bytes }, "bytes were mixed")
      found.equal(finished.count, 1)
    },
  ]

  /// Sends an upload in pieces on eight threads, each at the current offset, until one thread has finished it.
  ///
  /// - Returns: the complete bytes, as read by each thread that finished the upload.
  package static func sentAtOnce(
    _ bytes: [UInt8], as token: String, to stores: [UploadRules], piece: Int
  ) throws -> [[UInt8]] {
    try atOnce(8) { thread -> [UInt8]? in
      let store = stores[thread % stores.count]
      while true {
        do {
          let upload = try store.fetchUpload(token)
          if upload.outcome != nil { return nil }
          let writer = try store.writer(token, at: upload.offset)
          defer { writer.close() }
          let end = min(upload.offset + piece, bytes.count)
          try writer.write(bytes[upload.offset..<end])
          guard try writer.sync() == bytes.count else { continue }
          let seen = try writer.bytes()
          try writer.finish(.confirmed)
          return seen
        } catch UploadError.cut, UploadError.inUse, UploadError.wrongOffset {
        } catch UploadError.notFound where (try? store.fetchUpload(token).outcome) != nil {
          // Finished between its look and its writer.
        }
      }
    }.compactMap(\.self)
  }
}
