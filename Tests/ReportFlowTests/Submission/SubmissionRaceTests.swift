import Announcements
import Foundation
import PhotoAttachments
import PhotoStoreSQLite
import ReportFlowViewModels
import TestReports
import Testing

@testable import ReportFlow
import PhotoIngestion

/// Events between the steps of a submission: other processes, failures, and later changes.
extension SubmissionTests {
  /// For the draft and the database, each submit is a process of its own.
  @Test(arguments: [2, 4, 6]) func allWhoSubmitAtOnceHaveOneCodeThatWorks(_ count: Int) async throws
  {
    let flows = try (0..<count).map { _ in try cache.reopened() }
    let services = try flows.map { _ in
      AnnouncementSubmissionService(
        to: AnnouncementStore(
          try cache.openAgain(), logger: cache.logger, now: { Date() }))
    }
    var answers: [CreatedAnnouncement] = []
    try await withThrowingTaskGroup(of: CreatedAnnouncement.self) { group in
      for (flow, service) in zip(flows, services) {
        group.addTask { try await service.submit(flow) }
      }
      for try await answer in group { answers.append(answer) }
    }
    #expect(Set(answers.map(\.announcement.id)).count == 1)
    let passwords = Set(answers.compactMap(\.managementPassword))
    #expect(passwords.count == 1)
    let id = try #require(answers.first?.announcement.id)
    #expect(try await listed.map(\.id) == [id])
    _ = try await repository.close(
      id: id, managementPassword: try #require(passwords.first), client: "me")
  }

  /// If the photo fails, name and phone aren't listed, and clearing deletes them.
  @Test func withoutItsPhotoItIsNotListedAndClearingWithdrawsIt() async throws {
    repository.failures = ["attachPhoto": StoreError.storage(operation: "w", path: "/", errno: 5)]
    await #expect(throws: StoreError.self) { try await service.submit(flow) }
    #expect(flow.draft.isAnnounced)
    #expect(try await listed.isEmpty)
    #expect(try cache.announcementCount() == 1)
    #expect(try await service.discard(flow) == nil)
    #expect(try cache.announcementCount() == 0)
    #expect(flow.photoStatus == .empty && flow.draft.submission == nil)
  }

  /// This is the last moment to show a code that wasn't shown yet.
  @Test func clearingASubmittedReportGivesItsUnseenCode() async throws {
    let created = try await service.submit(flow)
    let left = try #require(try await service.discard(try cache.reopened()))
    #expect(left == created)
    #expect(try await listed == [created.announcement])
    let next = try cache.reopened()
    try await next.complete(try .test(cache: cache))
    _ = try await service.submit(next)
    next.handle(.passwordShown)
    #expect(try await service.discard(next) == nil)
    #expect(try await listed.count == 2)
  }

  @Test func afterSubmittingThePhotoIsTheAnnouncementsAlone() async throws {
    let photo = try #require(flow.photoAttachment)
    _ = try await service.submit(flow)
    #expect(flow.photoStatus == .empty && flow.photoPosition == nil)
    #expect(try await cache.photos.status(draft: "default") == .empty)
    #expect(try await !cache.photos.canContinue(draft: "default"))
    #expect(FileManager.default.fileExists(atPath: photo.cachedURL.path))
    #expect(try await cache.store.isSubmitted("default"))
    #expect(try await !cache.store.isSubmitted("other"))
    // If the program was killed before the draft was released, the next submit releases it.
    let source = testImage("lossless.webp")
    try await cache.photos.save(draft: "default") {
      try PhotoPipeline(decoding: .inProcess).prepare(source)
    }
    let again = try cache.reopened()
    #expect(again.photoStatus != .empty)
    _ = try await service.submit(again)
    #expect(try await cache.photos.status(draft: "default") == .empty)
  }

  /// If another process changes values while they are being sent, the old ones aren't published.
  @Test func wordsThatChangeWhileTheyAreSentAreNotPublished() async throws {
    let other = try cache.reopened()
    repository.onAnswer = { [other] name in
      guard name == "create" else { return }
      other.handle(.edited(.name("Somebody Else")))
      other.handle(.continued(.contact, FlowContext(today: day("2025-11-20"), now: Date())))
    }
    await #expect(throws: SubmissionError.changedMeanwhile) { try await service.submit(flow) }
    #expect(try cache.announcementCount() == 0)
    repository.onAnswer = nil
    let created = try await service.submit(flow)
    #expect(created.announcement.contactName == "Somebody Else")
    #expect(try await listed.count == 1)
  }

  /// A program created the announcement, but the response was lost, together with the password that the program had
  /// chosen.
  @Test func aPasswordThatNobodyHasIsReplaced() async throws {
    let key = flow.draft.submissionKey
    _ = try await repository.create(
      try #require(NewAnnouncement(flow.draft)), idempotencyKey: key, managementPassword: "lost")
    let created = try await service.submit(flow)
    let password = try #require(created.managementPassword)
    _ = try await repository.close(
      id: created.announcement.id, managementPassword: password, client: "me")
    #expect(try cache.announcementCount() == 1)
  }

  /// A draft in the first form, whose announcement was created without the photo, continues with its own password.
  @Test func aHalfAnnouncedDraftOfTheFirstFormGoesOn() async throws {
    let (key, password) = ("BC313E6D-933A-4C82-975C-02A850F1F00C", "MKHN-Z3SH-YJ3W")
    let made = try await repository.create(
      report(), idempotencyKey: UUID(uuidString: key)!, managementPassword: password)
    let content = GoldenDrafts.half.replacing(
      "930a5add-dce6-4d49-89fa-0767fd40035d", with: made.announcement.id)
    try cache.putOldDraft(content, as: "half")
    let source = testImage("lossless.webp")
    try await cache.photos.save(draft: "half") {
      try PhotoPipeline(decoding: .inProcess).prepare(source)
    }
    let created = try await service.submit(try cache.reopened("half"))
    #expect(created.managementPassword == password)
    #expect(created.announcement.id == made.announcement.id)
  }

  /// A draft that is refused because of its chip can be corrected and submitted.
  @Test func theSameChipTwiceIsRefusedAndCanBeCorrected() async throws {
    let context = FlowContext(today: day("2025-11-20"), now: Date())
    var other = report()
    other.microchipNumber = "616093900012345"
    let listed = try await cache.publish(other, in: cache.repository())
    flow.handle(.edited(.chip("616093900012345")))
    flow.handle(.continued(.chip, context))
    await #expect(throws: AnnouncementError.duplicateMicrochip) { try await service.submit(flow) }
    #expect(!flow.draft.isAnnounced)
    flow.handle(.edited(.chip("616093900012346")))
    flow.handle(.continued(.chip, context))
    _ = try await service.submit(flow)
    // If two are created at the same time, the one whose photo comes first is listed.
    let second = try cache.flow("second")
    try await second.complete(try .test(cache: cache))
    second.handle(.edited(.chip("1")))
    second.handle(.continued(.chip, context))
    repository.onAnswer = { [cache] name in
      guard name == "create" else { return }
      var rival = report("Rival")
      rival.microchipNumber = "1"
      try await cache.publish(rival, in: cache.repository())
    }
    await #expect(throws: AnnouncementError.duplicateMicrochip) {
      try await service.submit(second)
    }
    #expect(second.draft.submission == nil)
    // A closed announcement doesn't block its chip.
    repository.onAnswer = nil
    _ = try await repository.close(
      id: listed.id, managementPassword: "K7QM-2XWD-9RTA", client: "me")
    second.handle(.edited(.chip("616093900012345")))
    second.handle(.continued(.chip, context))
    _ = try await service.submit(second)
  }
}
