package import Announcements
package import Foundation
package import PhotoAttachments
package import PhotoIngestion
package import ReportFlow
import Synchronization
import TestPictures
import Testing

/// An empty place where a store under test keeps announcements, with photos and drafts.
package final class AnnouncementPlace: Sendable {
  /// Access to a place from outside. Each opening is a new one, like that of another process.
  package struct Ways: Sendable {
    /// Opens announcements with cheap passwords and this clock.
    var open:
      @Sendable (_ now: @escaping @Sendable () -> Date) throws
        -> AnnouncementStore
    var photos: @Sendable () throws -> PhotoAttachmentCache
    var drafts: @Sendable () throws -> RecordedDrafts
    /// Changes rows in ways that PetSpot itself never does.
    var change: @Sendable (_ sql: String) throws -> Void
    /// Lets every write of announcements fail, or succeed again.
    var hinder: @Sendable (_ isHindered: Bool) throws -> Void
    /// Breaks all connections.
    var cut: @Sendable () throws -> Void

    package init(
      open:
        @escaping @Sendable (_ now: @escaping @Sendable () -> Date) throws
        -> AnnouncementStore,
      photos: @escaping @Sendable () throws -> PhotoAttachmentCache,
      drafts: @escaping @Sendable () throws -> RecordedDrafts,
      change: @escaping @Sendable (_ sql: String) throws -> Void,
      hinder: @escaping @Sendable (_ isHindered: Bool) throws -> Void,
      cut: @escaping @Sendable () throws -> Void = {}
    ) {
      (self.open, self.photos, self.drafts) = (open, photos, drafts)
      (self.change, self.hinder, self.cut) = (change, hinder, cut)
    }
  }

  let ways: Ways
  private let time = Mutex(moment(0))

  package init(_ ways: Ways) { self.ways = ways }

  var now: Date { time.withLock { $0 } }
  func wait(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

  func open() throws -> AnnouncementStore { try ways.open { self.now } }

  /// Returns a stored photo that a draft also shows; it is the same one for each call.
  func photo(_ draft: String = "album", of image: String = "one-pixel.gif") async throws
    -> AnnouncementPhoto
  {
    let photos = try ways.photos()
    if try await photos.load(draft: draft) == nil {
      let file = TestImage.folder.appending(path: image)
      try await photos.save(draft: draft) {
        try PhotoPipeline(decoding: .inProcess).prepare(.file(path: "\(file.path)", name: image))
      }
    }
    guard let photo = try await photos.load(draft: draft) else { throw Missing(what: "a photo") }
    return AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.uti)
  }

  /// Creates an announcement with its photo and the password `p`, so that it is listed.
  @discardableResult
  func publish(_ report: NewAnnouncement) async throws -> Announcement {
    let store = try open()
    let made = try await store.create(report, idempotencyKey: UUID(), managementPassword: "p")
    return try await store.attachPhoto(
      try await photo(), to: made.announcement.id, managementPassword: "p", client: nil)
  }
}

/// One rule of announcements that every store has to keep. A test takes each rule of `all` as its argument, and expects
/// no findings in a new place.
package struct AnnouncementRule: Sendable, CustomTestStringConvertible {
  /// The rule in one sentence.
  package let testDescription: String
  private let check: @Sendable (AnnouncementPlace, Findings) async throws -> Void

  init(
    _ sentence: String,
    check: @escaping @Sendable (AnnouncementPlace, Findings) async throws -> Void
  ) {
    (testDescription, self.check) = (sentence, check)
  }

  /// Returns how the store of a new place breaks the rule; empty if it keeps it.
  package func findings(in place: AnnouncementPlace) async -> [String] {
    let found = Findings()
    do { try await check(place, found) } catch { found.add("\(error)") }
    return found.all
  }

  package static let all =
    keys + chips + passwords + closing + hiding + changing + photos + lists + words + mail + failing

  /// Returns the report of a person who lost a dog.
  static func report(
    _ name: String? = "Max", chip: String? = nil, at place: Coordinate? = nil
  ) -> NewAnnouncement {
    var report = NewAnnouncement(
      species: "dog", breed: "Łaciaty", sex: .male,
      dateOfDisappearance: CalendarDay(moment(0), in: .gmt), ownerName: "Ola Żak",
      ownerPhone: "+48 600 111 222")
    (report.petName, report.microchipNumber, report.location) = (name, chip, place)
    return report
  }

  static func point(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    guard let point = Coordinate(latitude: latitude, longitude: longitude) else {
      throw Missing(what: "a coordinate")
    }
    return point
  }

  /// Runs work this many times at once, and returns the result of each.
  static func together<Answer: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Answer
  ) async -> [Result<Answer, any Error>] {
    await withTaskGroup(of: (Int, Result<Answer, any Error>).self) { group in
      for number in 0..<count {
        group.addTask {
          do { return (number, .success(try await work(number))) } catch {
            return (number, .failure(error))
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        .sorted { $0.key < $1.key }.map(\.value)
    }
  }
}

extension Findings {
  /// Expects an operation on announcements to be refused for this reason.
  func refuses<Value>(
    _ expected: AnnouncementError, line: Int = #line, file: String = #fileID,
    _ work: () async throws -> Value
  ) async {
    do {
      _ = try await work()
      add("not refused with \(expected)", line: line, file: file)
    } catch {
      if error as? AnnouncementError != expected {
        add("refused with \(error) instead of \(expected)", line: line, file: file)
      }
    }
  }
}

/// Shorthands for owner operations that authorize with the code first.
extension AnnouncementStore {
  @discardableResult
  package func attachPhoto(
    _ photo: PreparedPhoto, to id: String, managementPassword: String
  ) async throws -> Announcement {
    try await attachPhoto(
      photo, to: authorize(id: id, managementPassword: managementPassword, client: nil))
  }

  @discardableResult
  package func change(
    id: String, managementPassword: String, client: String?,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> Void
  ) async throws -> Announcement {
    let owner = try await authorize(id: id, managementPassword: managementPassword, client: client)
    try await change(owner, client: client, edit)
    return try await announcement(id: id)
  }
}
