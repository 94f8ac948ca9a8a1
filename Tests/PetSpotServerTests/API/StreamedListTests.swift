import Announcements
import Foundation
import NIOCore
import ReportFlow
import StoreConformance
import TestPictures
import TestStores
import Testing

@testable import PetSpotServer
@testable import struct PetSpotServer.Stores
@testable import PhotoAttachments
@testable import PhotoIngestion

@Suite("Lists that are sent in parts")
struct StreamedListTests {
  private let cache = TemporaryCache()

  private func publish(_ name: String, in stores: Stores) async throws -> Announcement {
    var report = NewAnnouncement(
      species: "dog", breed: "Beagle", sex: .male, dateOfDisappearance: CalendarDay(.now, in: .gmt),
      ownerName: "Ola", ownerPhone: "+48 600 111 222")
    report.petName = name
    let made = try await stores.announcements.create(
      report, idempotencyKey: UUID(), managementPassword: "p")
    return try await stores.announcements.attachPhoto(
      .sample(1), to: made.announcement.id, managementPassword: "p")
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
    let stores = try await Stores(in: cache)
    let gates = Gates(ServerConfiguration())
    var ids: [String] = []
    for number in 1...24 { ids.append(try await publish("Rex \(number)", in: stores).id) }
    let query = AnnouncementListQuery(
      limit: 23, filter: AnnouncementFilter(text: "rex", speciesID: nil))
    var list = StreamedList(
      query: query, stores: stores, gates: gates, context: RequestContext())
    var (text, isLast) = ("", false)
    func add() async throws {
      let part = try await list.part()
      (text, isLast) = (text + String(buffer: part.bytes), part.isLast)
    }
    try await add()
    _ = try await stores.announcements.close(id: ids[2], managementPassword: "p", client: nil)
    // From now on, other clients occupy all turns.
    try await gates.searches.pass(.ipv4([192, 0, 2, 2])) {
      try await gates.searches.pass(.ipv4([192, 0, 2, 3])) {
        while !isLast { try await add() }
      }
    }
    let read = try JSONDecoder().decode(List.self, from: Data(text.utf8))
    let expected = (2...24).reversed().filter { $0 != 3 }.map { "Rex \($0)" }
    #expect(read.announcements.map(\.petName) == expected)
    #expect(read.next != nil)
  }
}
