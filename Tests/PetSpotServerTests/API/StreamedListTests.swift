import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import ReportFlow
import StoreConformance
import TestPictures
import TestStores
import Testing

@testable import PetSpotServer
@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite

@Suite("Lists that are sent in parts")
struct StreamedListTests {
  private let cache = TemporaryCache()
  private let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

  private func site() async throws -> Site {
    let photos = try await PhotoAttachmentCache.open(cache.folder, decoders: nil)
    return Site(
      photos: photos, drafts: DraftStore(photos, logger: logger),
      announcements: AnnouncementStore(photos),
      species: TaxonomySource(copy: URL(filePath: "/nowhere"), logger: logger), uploads: nil,
      configuration: ServerConfiguration(), logger: logger)
  }

  private func publish(_ name: String, on site: Site) async throws -> Announcement {
    var report = NewAnnouncement(
      species: "dog", breed: "Beagle", sex: .male, dateOfDisappearance: CalendarDay(.now, in: .gmt),
      ownerName: "Ola", ownerPhone: "+48 600 111 222")
    report.petName = name
    let made = try await site.announcements.create(
      report, idempotencyKey: UUID(), managementPassword: "p")
    return try await site.announcements.attachPhoto(
      .sample(1), to: made.announcement.id, managementPassword: "p")
  }

  private func context() -> RequestContext {
    RequestContext(
      request: Request(
        head: .init(method: .get, scheme: "http", authority: "localhost", path: "/"),
        body: RequestBody(buffer: ByteBuffer())),
      parameters: [:], id: "", client: .ipv4([192, 0, 2, 1]), base: "", incomingBody: nil,
      isSecure: false, channel: NIOAsyncTestingChannel(), takesInterim: true, logger: logger)
  }

  private struct List: Decodable {
    struct Item: Decodable { let petName: String }
    let announcements: [Item]
    let next: String?
  }

  @Test(
    "A search takes one turn, and announcements that close before their part is sent are left out",
    .timeLimit(.minutes(5)))
  func oneTurn() async throws {
    let site = try await site()
    var ids: [String] = []
    for number in 1...24 { ids.append(try await publish("Rex \(number)", on: site).id) }
    let query = AnnouncementListQuery(
      limit: 23, filter: AnnouncementFilter(text: "rex", speciesID: nil))
    var list = StreamedList(query: query, site: site, context: context())
    var (text, isLast) = ("", false)
    func add() async throws {
      let part = try await list.part()
      (text, isLast) = (text + String(buffer: part.bytes), part.isLast)
    }
    try await add()
    _ = try await site.announcements.close(id: ids[2], managementPassword: "p", client: nil)
    // From now on, other clients occupy all turns.
    try await site.searches.pass(.ipv4([192, 0, 2, 2])) {
      try await site.searches.pass(.ipv4([192, 0, 2, 3])) {
        while !isLast { try await add() }
      }
    }
    let read = try JSONDecoder().decode(List.self, from: Data(text.utf8))
    let expected = (2...24).reversed().filter { $0 != 3 }.map { "Rex \($0)" }
    #expect(read.announcements.map(\.petName) == expected)
    #expect(read.next != nil)
  }
}
