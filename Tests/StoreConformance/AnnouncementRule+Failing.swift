import Announcements
import Foundation
import PhotoAttachments
import ReportFlow

extension AnnouncementRule {
  static let failing = [
    Self("An act that fails has not happened, and happens once it can") { place, found in
      let (store, key) = (try place.open(), UUID())
      let shown = try await place.publish(report("shown"))
      let half = try await store.create(
        report("half"), idempotencyKey: key, managementPassword: "p")
      let photo = try await place.photo()
      let newKey = UUID()
      let acts = [
        Act("create") {
          _ = try await store.create(
            report("new"), idempotencyKey: newKey, managementPassword: "p")
        },
        Act("attachPhoto") {
          _ = try await store.attachPhoto(
            photo, to: half.announcement.id, managementPassword: "p", client: nil)
        },
        Act("close") {
          _ = try await store.close(id: shown.id, managementPassword: "p", client: nil)
        },
        Act("erase") {
          try await store.erase(id: shown.id, managementPassword: "p", client: nil)
        },
      ]
      func state() async throws -> [Announcement] {
        var all: [Announcement] = []
        for id in try await store.ids(beginning: "", limit: 9) {
          all.append(try await store.announcement(id: id))
        }
        return all
      }
      let before = try await state()
      try place.ways.hinder(true)
      let more = [
        Act("withdraw") { _ = try await store.withdraw(idempotencyKey: key, credentials: nil) },
        Act("a wrong password") {
          try await store.authorize(id: shown.id, managementPassword: "x", client: "me")
        },
      ]
      for act in acts + more {
        do {
          try await act.run()
          found.add("\(act.name) does not fail")
        } catch {
          found.expect(error is StoreError, "\(act.name) fails with \(error)")
        }
        found.expect(try await state() == before, "\(act.name) changed something")
      }
      try place.ways.hinder(false)
      for act in acts { try await act.run() }
      found.equal(try await state().count, 2)
      found.expect(FileManager.default.fileExists(atPath: photo.file.path))
    },
    Self("Every act goes on when the connections it would use are gone") { place, found in
      let (store, key) = (try place.open(), UUID())
      let photo = try await place.photo()
      try place.ways.cut()
      let made = try await store.create(report(), idempotencyKey: key, managementPassword: "p")
      let id = made.announcement.id
      try place.ways.cut()
      let shown = try await store.attachPhoto(
        photo, to: id, managementPassword: "p", client: "me")
      try place.ways.cut()
      found.equal(try await store.announcement(id: id), shown)
      try place.ways.cut()
      found.equal(try await store.announcements(matching: .defaultQuery(location: nil)), [shown])
      try place.ways.cut()
      await found.refuses(.wrongPassword) {
        try await store.authorize(id: id, managementPassword: "x", client: "me")
      }
      try place.ways.cut()
      _ = try await store.close(id: id, managementPassword: "p", client: "me")
      try place.ways.cut()
      try await store.erase(id: id, managementPassword: "p", client: "me")
      found.equal(try await store.ids(beginning: "", limit: 9), [])
    },
    Self("Creates whose connections break at any moment make one announcement a key") {
      place, found in
      let (stores, cut) = (try (0..<2).map { _ in try place.open() }, place.ways.cut)
      let isOver = Flag()
      let cutter = StartedThread {
        for _ in 0..<40 where !isOver.value {
          try cut()
          usleep(.random(in: 500...20_000))
        }
      }
      let keys = (0..<16).map { _ in UUID() }
      let made = await together(keys.count) { number in
        for attempt in 0... {
          do {
            return try await stores[attempt % 2].create(
              report("\(number)"), idempotencyKey: keys[number], managementPassword: "p")
          } catch let error as StoreError {
            // Repeating the call with the same key reports the outcome of the first.
            guard attempt < 60 else { throw error }
          }
        }
        throw StoreError.cancelled
      }
      isOver.set()
      _ = try cutter.wait()
      let ids = try made.map { try $0.get().announcement.id }
      found.equal(Set(ids).count, keys.count)
      found.equal(try await place.open().ids(beginning: "", limit: 99), ids.sorted())
      found.expect(try made.allSatisfy { try $0.get().managementPassword == "p" })
    },
  ]
}

/// A named operation of a rule.
private struct Act: Sendable {
  let name: String
  let run: @Sendable () async throws -> Void

  init(_ name: String, _ run: @escaping @Sendable () async throws -> Void) {
    (self.name, self.run) = (name, run)
  }
}
