import Announcements
import Foundation
import PhotoAttachments
import ReportFlowViewModels
import TestReports
import Testing

@testable import ReportFlow

@MainActor @Suite struct SubmissionTests {
  let cache: TestCache
  let flow: ReportMissingPetFlowState
  let repository: StumblingRepository
  let service: AnnouncementSubmissionService

  init() async throws {
    cache = try TestCache()
    flow = try cache.flow()
    repository = StumblingRepository(cache.repository())
    service = AnnouncementSubmissionService(to: repository)
    try await flow.complete(try .test(cache: cache))
  }

  var listed: [Announcement] {
    get async throws {
      try await cache.repository().announcements(matching: AnnouncementListQuery())
    }
  }

  @Test func theAnnouncementSaysWhatTheDraftSays() async throws {
    flow.handle(.edited(.chip("12345")))
    flow.handle(.continued(.chip, FlowContext(today: day("2025-11-20"), now: Date())))
    let photo = try #require(flow.photoAttachment)
    let created = try await service.submit(flow)
    let announcement = created.announcement
    #expect(announcement.petName == "Max" && announcement.species == "Dog")
    #expect(announcement.status == .lost && announcement.contactName == "John Doe")
    #expect(announcement.contactPhone == "+48 123 456 789")
    #expect(announcement.location?.coordinate == point(52.2297, 21.0122))
    #expect(announcement.details.breed == "Labrador" && announcement.details.age == 5)
    #expect(announcement.details.sex == .male && announcement.details.speciesID == "dog")
    #expect(announcement.details.dateOfDisappearance == day("2025-11-20"))
    #expect(announcement.details.photoSHA256 == photo.blob.sha256)
    #expect(created.managementPassword == flow.managementPassword)
    #expect(repository.calls == ["create", "attachPhoto"])
    #expect(try await listed == [announcement])
    #expect(NewAnnouncement(flow.draft)?.microchipNumber == "12345")
  }

  @Test func submittedTwiceIsOneAnnouncementAndThePasswordIsShownOnce() async throws {
    let first = try await service.submit(flow)
    #expect(try await service.submit(flow).managementPassword == first.managementPassword)
    flow.handle(.passwordShown)
    let again = try await service.submit(flow)
    #expect(again.announcement == first.announcement && again.managementPassword == nil)
    let afterRestart = try await service.submit(try cache.reopened())
    #expect(afterRestart.announcement.id == first.announcement.id)
    #expect(try await listed.count == 1)
  }

  /// If the photo fails after the announcement was created, the retry sends only the photo.
  @Test func aRetryGoesOnWithThePhoto() async throws {
    repository.failures = ["attachPhoto": AnnouncementError.unavailable("offline")]
    await #expect(throws: AnnouncementError.unavailable("offline")) {
      try await service.submit(flow)
    }
    #expect(flow.draft.submission?.isComplete == false && flow.draft.step == .contact)
    repository.failures = [:]
    let restarted = try cache.reopened()
    let created = try await service.submit(restarted)
    #expect(repository.calls == ["create", "attachPhoto", "attachPhoto"])
    #expect(restarted.draft.step == .summary)
    #expect(created.managementPassword == flow.managementPassword)
    #expect(try await listed.count == 1)
  }

  /// If the response to the creation is lost, the retry finds the announcement and has a valid password.
  @Test func aLostAnswerMakesNothingTwice() async throws {
    repository.lostAnswers = ["create"]
    await #expect(throws: AnnouncementError.self) { try await service.submit(flow) }
    #expect(!flow.draft.isAnnounced && flow.managementPassword != nil)
    let created = try await service.submit(try cache.reopened())
    #expect(created.managementPassword == flow.managementPassword)
    #expect(try await listed.count == 1)
    let password = try #require(created.managementPassword)
    let closed = try await repository.close(
      id: created.announcement.id, managementPassword: password, client: "me")
    #expect(closed.status == .closed)
  }

  @Test func aLostAnswerToThePhotoIsHarmless() async throws {
    repository.lostAnswers = ["attachPhoto"]
    await #expect(throws: AnnouncementError.self) { try await service.submit(flow) }
    let created = try await service.submit(try cache.reopened())
    #expect(created.managementPassword != nil)
    #expect(try await listed.count == 1)
  }

  @Test func withoutThePhotoNothingIsSent() async throws {
    let blob = try #require(flow.photoAttachment?.cachedURL)
    try FileManager.default.removeItem(at: blob)
    await #expect(throws: SubmissionError.incomplete([.photo])) { try await service.submit(flow) }
    #expect(repository.calls.isEmpty)
    await #expect(throws: SubmissionError.incomplete([.photo, .description, .contact])) {
      try await service.submit(try cache.flow("empty"))
    }
  }

  /// A draft that can't be saved would lose its progress.
  @Test func anUnsavedDraftIsNotSubmitted() async throws {
    try cache.execute("ALTER TABLE report_draft RENAME TO elsewhere")
    flow.handle(.edited(.chip("9")))
    let failure = try #require(flow.saveFailure)
    await #expect(throws: failure) { try await service.submit(flow) }
    #expect(repository.calls.isEmpty)
  }

  /// The announcement's photo survives the draft, its clearing and a sweep.
  @Test func theAnnouncementKeepsItsPhoto() async throws {
    let photo = try #require(flow.photoAttachment)
    let created = try await service.submit(flow)
    try await flow.clear()
    _ = try await cache.photos.sweep(
      draftsOlderThan: .seconds(1), now: Date().addingTimeInterval(30 * 24 * 3600), grace: .zero)
    #expect(FileManager.default.fileExists(atPath: photo.cachedURL.path))
    #expect(try await cache.photos.photo(id: photo.id)?.blob == photo.blob)
    #expect(created.announcement.details.photoSHA256 == photo.blob.sha256)
    // A new report in the same draft is another announcement.
    try await flow.complete(try .test(cache: cache), photo: "lossless.webp")
    _ = try await service.submit(flow)
    #expect(try await listed.count == 2)
  }

  @Test func absentPartsAreNotSent() async throws {
    let bare = try cache.flow("bare")
    try await bare.complete(try .test(cache: cache))
    let context = LocationContext(now: Date(), authorization: .denied)
    for edit: FlowEdit in [
      .latitude("", context), .longitude("", context), .age("0"), .petName("  "),
    ] { bare.handle(.edited(edit)) }
    bare.handle(.continued(.description, FlowContext(today: day("2025-11-20"), now: Date())))
    let report = try #require(NewAnnouncement(bare.draft))
    let data = try JSONEncoder().encode(report)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    for key in ["location", "age", "petName", "email", "reward", "microchipNumber"] {
      #expect(object[key] == nil, "\(key)")
    }
  }
}
