import Foundation
import PhotoAttachments

extension UploadRule {
  static let limits = [
    Self("A file may have so many bytes and no more") { place, found in
      let (store, limit) = (try place.open(), 20 << 20)
      found.refuses(.tooLarge(limit: limit, actual: limit + 1)) { try store.make(limit + 1) }
      found.equal(try store.make(limit).length, limit)
    },
    Self("A client may have so many open, whoever owns them and whoever is asked") {
      place, found in
      let store = try place.open()
      let first = try store.make(1)
      place.wait(3600)
      for number in 2...8 { _ = try store.make(1, owner: "draft:\(number)") }
      for store in [store, try place.open()] {
        found.refuses(.tooManyOpen(seconds: 23 * 3600)) { try store.make(1) }
        _ = try store.make(1, client: "::2")
      }
      let writer = try store.writer(first.token, at: 0)
      try writer.write([1])
      _ = try writer.sync()
      try writer.finish(.confirmed)
      _ = try store.make(1)
      found.refuses(.tooManyOpen(seconds: 24 * 3600)) { try place.open().make(1) }
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
    Self("All clients together may have so many open") { place, found in
      var limits = UploadLimits()
      limits.open = 3
      let store = try place.open(limits)
      let tokens = try (0..<3).map { try store.make(1, client: "\($0)").token }
      found.refuses(.busy) { try store.make(1, client: "::3") }
      try store.remove(tokens[0], owner: "draft:1")
      _ = try store.make(1, client: "::3")
    },
    Self("An upload lives a day, is known to be expired for another, then is forgotten") {
      place, found in
      let store = try place.open()
      let token = try store.make(2).token
      let writer = try store.writer(token, at: 0)
      try writer.write([1])
      place.wait(24 * 3600 - 1)
      found.equal(try store.sweep(), 0)
      found.equal(try store.look(token).offset, 1)
      place.wait(1)
      for store in [store, try place.open()] {
        found.refuses(.expired) { try store.look(token) }
        found.refuses(.expired) { try store.writer(token, at: 1) }
        found.refuses(.expired) { try store.remove(token, owner: "draft:1") }
        found.refuses(.notFound) { try store.look(token, owner: "draft:2") }
      }
      found.equal(try store.sweep(), 1)
      found.equal(try store.sweep(), 0)
      found.refuses(.expired) { try place.open().look(token) }
      place.wait(24 * 3600)
      found.refuses(.notFound) { try store.look(token) }
      found.equal(try store.sweep(), 1)
      found.refuses(.notFound) { try store.look(token) }
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
      found.equal(try store.look(token).outcome, .confirmed)
    },
  ]
}
