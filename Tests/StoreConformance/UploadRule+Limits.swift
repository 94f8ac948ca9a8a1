import Foundation
import PhotoAttachments

/// Adds bytes to an upload, as one request does.
private func add(
  _ bytes: [UInt8], to token: String, at offset: Int, of store: UploadRules
) throws {
  let writer = try store.writer(token, at: offset, adding: bytes.count)
  defer { writer.close() }
  try writer.write(bytes)
  _ = try writer.sync()
}

extension UploadRule {
  static let limits = [
    Self("A file may have so many bytes and no more") { place, found in
      let (store, limit) = (try place.open(), 20 << 20)
      found.refuses(.tooLarge(limit: limit, actual: limit + 1)) { try store.make(limit + 1) }
      found.equal(try store.make(limit).length, limit)
    },
    Self("A length that is not known is learnt once, and nothing is whole before") { place, found in
      let (store, limit) = (try place.open(), 20 << 20)
      let upload = try store.create(
        owner: "draft:1", client: "::1", length: nil, fileName: nil)
      found.expect(!upload.hasLength && !upload.isWhole)
      let first = try store.writer(upload.token, at: 0)
      try first.write([1, 2])
      found.equal(try first.sync(), 2)
      found.refuses(.tooLarge(limit: limit, actual: limit + 1)) {
        try first.declare(length: limit + 1)
      }
      found.refuses(.pastLength) { try first.declare(length: 1) }
      first.close()
      for store in [store, try place.open()] {
        found.expect(try !store.fetchUpload(upload.token).isWhole)
      }
      found.refuses(.tooLarge(limit: limit, actual: limit + 1)) {
        try store.writer(upload.token, at: 2, adding: limit)
      }
      let second = try place.open().writer(upload.token, at: 2)
      try second.declare(length: 3)
      found.refuses(.otherLength(expected: 3)) { try second.declare(length: 4) }
      found.refuses(.pastLength) { try second.write([3, 4]) }
      second.close()
      found.equal(try store.fetchUpload(upload.token).length, 3)
      let last = try store.writer(upload.token, at: 2, adding: 1)
      try last.declare(length: 3)
      try last.write([3])
      found.equal(try last.sync(), 3)
      found.equal(try last.bytes(), [1, 2, 3])
      found.expect(try place.open().fetchUpload(upload.token).isWhole)
      try last.finish(.confirmed)
      found.equal(try store.fetchUpload(upload.token).offset, 3)
    },
    Self("A client may have so many open, whoever owns them and whoever is asked") {
      place, found in
      let begun = place.now
      let store = try place.open()
      let first = try store.make(1)
      place.wait(500)
      for number in 2...8 { _ = try store.make(1, owner: "draft:\(number)") }
      for store in [store, try place.open()] {
        do {
          _ = try store.make(1)
          found.expect(false)
        } catch UploadError.tooManyOpen(let seconds) {
          // A reopened folder uses the times of its files, which the place's clock does not set.
          let late = Int(Date().timeIntervalSince(begun)) + 1
          found.expect((100...100 + late).contains(seconds))
        }
        _ = try store.make(1, client: "::2")
      }
      let writer = try store.writer(first.token, at: 0)
      try writer.write([1])
      _ = try writer.sync()
      try writer.finish(.confirmed)
      _ = try store.make(1)
      found.refuses(.tooManyOpen(seconds: 600)) { try place.open().make(1) }
      place.wait(24 * 3600)
      for _ in 0..<8 { _ = try store.make(1) }
    },
    Self("Of many who begin at once no more than may be succeed") { place, found in
      let store = try place.open()
      let begun = try atOnce(12) { _ in
        do { return try store.make(1).length == 1 } catch UploadError.tooManyOpen { return false }
      }
      found.equal(begun.count { $0 }, 8)
    },
    Self("All clients together may have so many open, and each finds a place") { place, found in
      var limits = UploadLimits()
      limits.open = 3
      let store = try place.open(limits)
      var tokens: [String] = []
      for client in ["1", "1", "2"] {
        tokens.append(try store.make(2, client: client).token)
        place.wait(1)
      }
      // The client with the most uploads gives up the place of the one that has waited longest.
      for (token, client) in zip(tokens, ["1", "1", "2"]) where client == "1" {
        try add([7], to: token, at: 0, of: store)
        place.wait(1)
      }
      tokens.append(try store.make(2, client: "3").token)
      found.refuses(.busy) { try store.make(2, client: "1") }
      found.refuses(.busy) { try store.writer(tokens[0], at: 1) }
      try add([7], to: tokens[1], at: 1, of: store)
      try store.remove(tokens[3], owner: "draft:1")
      try add([7], to: tokens[0], at: 1, of: store)
    },
    Self("Ten minutes without a byte give up a place, and no byte") { place, found in
      let store = try place.open()
      let tokens = try (0..<8).map { _ in try store.make(3).token }
      place.wait(599)
      try add([7], to: tokens[0], at: 0, of: store)
      found.refuses(.tooManyOpen(seconds: 1)) { try store.make(3) }
      place.wait(1)
      let newer = try (0..<7).map { _ in try store.make(3).token }
      found.refuses(.tooManyOpen(seconds: 599)) { try store.make(3) }
      found.equal(try store.fetchUpload(tokens[1]).offset, 0)
      found.refuses(.tooManyOpen(seconds: 599)) { try store.writer(tokens[1], at: 0) }
      // An upload that has a place keeps it.
      try add([8], to: tokens[0], at: 1, of: store)
      try store.remove(newer[0], owner: "draft:1")
      try add([7], to: tokens[1], at: 0, of: store)
      place.wait(600)
      for store in [store, try place.open()] {
        found.equal(try store.fetchUpload(tokens[0]).offset, 2)
      }
      try add([9], to: tokens[0], at: 2, of: store)
      found.equal(try store.fetchUpload(tokens[0]).offset, 3)
    },
    Self("What a client leaves unfinished has a limit, and what has no place gives way first") {
      place, found in
      var limits = UploadLimits()
      limits.bytesPerClient = 3 << 20
      let store = try place.open(limits)
      var tokens: [String] = []
      for _ in 0..<2 {
        tokens.append(try store.make(1).token)
        place.wait(1)
      }
      let other = try store.make(1, client: "::2").token
      place.wait(600)
      for _ in 0..<2 { tokens.append(try store.make(1).token) }
      found.refuses(.notFound) { try store.fetchUpload(tokens[0]) }
      for token in tokens.dropFirst() + [other] {
        found.equal(try store.fetchUpload(token).offset, 0)
      }
      for _ in 0..<4 { tokens.append(try store.make(1).token) }
      found.refuses(.notFound) { try store.fetchUpload(tokens[1]) }
      for token in tokens.dropFirst(2) + [other] {
        found.equal(try store.fetchUpload(token).offset, 0)
      }
    },
    Self("What all leave unfinished has a limit, and the client with the most loses some") {
      place, found in
      var limits = UploadLimits()
      limits.bytes = 3 << 20
      let store = try place.open(limits)
      var tokens: [String] = []
      for client in ["1", "2", "2"] {
        tokens.append(try store.make(1, client: client).token)
        place.wait(1)
      }
      place.wait(600)
      tokens.append(try store.make(1, client: "3").token)
      found.refuses(.notFound) { try store.fetchUpload(tokens[1]) }
      for index in [0, 2, 3] { found.equal(try store.fetchUpload(tokens[index]).offset, 0) }
    },
    Self("An upload lives a day, is known to be expired for another, then is forgotten") {
      place, found in
      let store = try place.open()
      let token = try store.make(2).token
      let writer = try store.writer(token, at: 0)
      try writer.write([1])
      place.wait(24 * 3600 - 1)
      found.equal(try store.sweep(), 0)
      found.equal(try store.fetchUpload(token).offset, 1)
      place.wait(1)
      for store in [store, try place.open()] {
        found.refuses(.expired) { try store.fetchUpload(token) }
        found.refuses(.expired) { try store.writer(token, at: 1) }
        found.refuses(.expired) { try store.remove(token, owner: "draft:1") }
        found.refuses(.notFound) { try store.fetchUpload(token, owner: "draft:2") }
      }
      found.equal(try store.sweep(), 1)
      found.equal(try store.sweep(), 0)
      found.refuses(.expired) { try place.open().fetchUpload(token) }
      place.wait(24 * 3600)
      found.refuses(.notFound) { try store.fetchUpload(token) }
      found.equal(try store.sweep(), 1)
      found.refuses(.notFound) { try store.fetchUpload(token) }
    },
    Self("What is in use is not swept, and what comes too late can still be finished") {
      place, found in
      let store = try place.open()
      let token = try store.make(1).token
      let writer = try store.writer(token, at: 0)
      try writer.write([1])
      _ = try writer.sync()
      place.wait(24 * 3600)
      found.equal(try place.open().sweep(), 0)
      found.equal(try writer.bytes(), [1])
      try writer.finish(.confirmed)
      found.equal(try store.fetchUpload(token).outcome, .confirmed)
    },
  ]
}
