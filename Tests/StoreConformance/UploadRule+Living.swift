import Foundation
import PhotoAttachments
import PhotoIngestion

extension UploadRule {
  static let living = [
    Self("An upload is made, written in parts, finished, remembered and forgotten") {
      place, found in
      let (store, bytes) = (try place.open(), bytes(600_000))
      let upload = try store.make(bytes.count)
      found.expect(UploadToken.isToken(upload.token))
      found.equal(upload.fileName, "cat.jpg")
      found.equal(upload.expires, place.now.addingTimeInterval(24 * 3600))
      found.equal(try store.fetchUpload(upload.token), upload)
      let first = try store.writer(upload.token, at: 0, adding: 1000)
      try first.write(bytes[..<1000])
      found.equal(try first.sync(), 1000)
      first.close()
      found.equal(try place.open().fetchUpload(upload.token).offset, 1000)
      // Another process continues the upload, and a third one reads its outcome.
      let second = try place.open().writer(upload.token, at: 1000)
      for start in stride(from: 1000, to: bytes.count, by: 65_536) {
        try second.write(bytes[start..<min(start + 65_536, bytes.count)])
      }
      found.equal(try second.sync(), bytes.count)
      found.expect(try second.bytes() == bytes, "other bytes")
      let finished = try second.finish(.confirmed)
      found.equal(finished.outcome, .confirmed)
      found.equal(finished.offset, bytes.count)
      found.equal(try store.fetchUpload(upload.token), finished)
      place.wait(599)
      found.equal(try place.open().fetchUpload(upload.token), finished)
      found.equal(try store.sweep(), 0)
      place.wait(1)
      found.refuses(.notFound) { try store.fetchUpload(upload.token) }
      found.equal(try store.sweep(), 1)
      found.refuses(.notFound) { try store.fetchUpload(upload.token) }
    },
    Self("A refusal is answered again by whoever is asked") { place, found in
      let token = try place.open().make(3).token
      let refusal = UploadOutcome.refused(status: 422, body: Array("{}\u{0}ł".utf8))
      let writer = try place.open().writer(token, at: 0)
      try writer.write([1, 2, 3])
      _ = try writer.sync()
      try writer.finish(refusal)
      writer.close()
      let store = try place.open()
      let appending = try store.append(token, owner: "draft:1", at: 3, adding: 0)
      guard case .finished(let again) = appending, again.outcome == refusal else {
        throw UploadError.notFound
      }
      found.equal(again.offset, 3)
      found.refuses(.wrongOffset(expected: 3)) { try store.writer(token, at: 0) }
      found.refuses(.pastLength) { try store.writer(token, at: 3, adding: 1) }
      try store.remove(token, owner: "draft:1")
      found.refuses(.notFound) { try store.fetchUpload(token) }
    },
    Self("An empty file is complete at once") { place, found in
      let store = try place.open()
      let writer = try store.writer(try store.make(0).token, at: 0, adding: 0)
      found.equal(try writer.sync(), 0)
      found.expect(try writer.bytes().isEmpty)
    },
    Self("A file's name is kept whatever is in it") { place, found in
      let store = try place.open()
      for name in [nil, "", "Łatek \u{0}\n🐕.jpg"] as [String?] {
        let upload = try store.create(owner: "a", client: "::1", length: 1, fileName: name)
        found.equal(try place.open().fetchUpload(upload.token, owner: "a").fileName, name)
      }
    },
    Self("Bytes for another place, or too many, are refused and harm nothing") { place, found in
      let store = try place.open()
      let token = try store.make(10).token
      let writer = try store.writer(token, at: 0)
      try writer.write([1, 2, 3, 4])
      found.refuses(.pastLength) { try writer.write(bytes(7)) }
      writer.close()
      found.refuses(.cut) { try writer.write([5]) }
      for offset in [0, 3, 5, 10, .max] {
        found.refuses(.wrongOffset(expected: 4)) { try store.writer(token, at: offset) }
      }
      for count in [7, .max] {
        found.refuses(.pastLength) { try store.writer(token, at: 4, adding: count) }
      }
      found.equal(try store.fetchUpload(token).offset, 4)
      let next = try store.writer(token, at: 4, adding: 6)
      try next.write([5, 6, 7, 8, 9, 10])
      found.equal(try next.sync(), 10)
      found.equal(try next.bytes(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    },
    Self("Nobody else's upload is found, and nothing that is no token") { place, found in
      let store = try place.open()
      let token = try store.make(1).token
      found.refuses(.notFound) { try store.fetchUpload(token, owner: "draft:2") }
      found.refuses(.notFound) { try store.append(token, owner: "draft:2", at: 0, adding: 1) }
      found.refuses(.notFound) { try store.remove(token, owner: "draft:2") }
      for name in [
        "", "..", token.uppercased(), token + "0", String(token.dropLast()), "../" + token,
        "\u{0}", String(repeating: "g", count: 32), UploadToken.new(),
      ] {
        found.refuses(.notFound) { try store.fetchUpload(name) }
        found.refuses(.notFound) { try store.writer(name, at: 0) }
        found.refuses(.notFound) { try store.remove(name, owner: "draft:1") }
      }
      try store.remove(token, owner: "draft:1")
      found.refuses(.notFound) { try store.fetchUpload(token) }
    },
  ]
}
