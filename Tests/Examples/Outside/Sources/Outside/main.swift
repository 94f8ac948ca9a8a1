import Announcements
import AnnouncementsHTTP
import BlobStoreS3
import Foundation
import ImageContainers
import Logging
import PetSpotServer
import PhotoAttachments
import PhotoIngestion
import PhotoModel
import PhotoStoreSQLite
import ReportFlow
import ReportFlowViewModels

// A program of another package: prepares and attaches the photo it is given, keeps all in the folder it
// is given, serves that, and reports a pet to itself.
DecoderWorker.serveIfAsked()
let (photoFile, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])
let logger = Logger(label: "outside") { _ in SwiftLogNoOpLogHandler() }

let prepared = try await PhotoPipeline().prepare(.file(path: photoFile))
let format = ImageContainer.format(of: prepared.blob.bytes)
print("prepared", prepared.pixelWidth, prepared.pixelHeight, format?.rawValue ?? "unknown")

let cache = try await PhotoAttachmentCache.open(
  CacheFolder(path: folder), tables: [.reports])
let photo = try await cache.attach(.file(path: photoFile), to: "17")
print("attached", photo.fileName, photo.pixelWidth, photo.pixelHeight)

let drafts = DraftStore(cache, logger: logger)
let announcements = AnnouncementStore(cache, logger: logger)
let report = try ReportMissingPetFlowState(
  draft: "17", store: drafts, photos: cache, logger: logger)
report.handle(.edited(.typed(.chip, "616093400012345")))
print("chip", report.draft.chipInput)

var configuration = ServerConfiguration()
configuration.port = 0
let server = PetSpotServer(
  photos: cache, drafts: drafts, announcements: announcements,
  species: TaxonomySource(
    named: nil, copy: URL(filePath: folder + "/species.json"),
    logger: logger),
  configuration: configuration, logger: logger)
let (addresses, listening) = AsyncStream.makeStream(of: String.self)
let serving = Task { try await server.run { listening.yield($0) } }

for await address in addresses {
  guard let address = ServerAddress(address) else { fatalError("\(address) is no address") }
  let remote = HTTPAnnouncementRepository(address, logger: logger)
  guard let day = CalendarDay("2026-01-02") else { fatalError("no day") }
  var lost = NewAnnouncement(
    species: "dog", breed: "Labrador", sex: .male, dateOfDisappearance: day,
    ownerName: "John Doe", ownerPhone: "+48 123 456 789")
  lost.location = Coordinate(latitude: 52.2297, longitude: 21.0122)
  // The server decides the password.
  let made = try await remote.create(lost, idempotencyKey: UUID(), managementPassword: "")
  print("announced", made.announcement.species)
  break
}
serving.cancel()
_ = await serving.result
