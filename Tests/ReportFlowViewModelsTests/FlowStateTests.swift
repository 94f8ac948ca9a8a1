import Announcements
import Foundation
import Observation
import PhotoAttachments
import ReportFlow
import Synchronization
import TestReports
import Testing

@testable import ReportFlowViewModels
import PhotoIngestion

@MainActor @Suite struct FlowStateTests {
  @Test func aNewSessionIsEmpty() throws {
    let cache = try TestCache()
    let flow = try cache.flow()
    #expect(flow.photoStatus == .empty && flow.photoAttachment == nil)
    #expect(flow.chipNumber == nil && flow.petName == nil && flow.location == nil)
    #expect(flow.ownerName == nil && flow.ownerPhone == nil && flow.species == nil)
    #expect(flow.breed == nil && flow.sex == nil && flow.age == nil && flow.description == nil)
    #expect(flow.dateOfDisappearance == nil && flow.managementPassword == nil)
  }

  /// Every change is on the disk when the call returns, so another process sees it.
  @Test func everyChangeIsRestoredAfterARestart() async throws {
    let cache = try TestCache()
    let environment = try FlowEnvironment.test(cache: cache)
    let flow = try cache.flow()
    for edit: FlowEdit in [
      .chip("12345"), .species(dog), .race("Pug"),
      .petName("Max"), .name("Ola"), .phone("12"), .email("ola@example.org"),
      .reward("cake"),
    ] {
      flow.handle(.edited(edit))
      #expect(flow.saveFailure == nil)
      #expect(try cache.reopened().draft == flow.draft)
    }
    try await flow.complete(environment)
    let restored = try cache.reopened()
    #expect(restored.draft == flow.draft)
    #expect(restored.photoAttachment == flow.photoAttachment)
    #expect(restored.photoAttachment?.fileName == "one-pixel.gif")
    #expect(restored.chipNumber == "12345" && restored.petName == "Max")
    #expect(restored.location == (point(52.2297, 21.0122)))
    #expect(restored.ownerName == "John Doe" && restored.ownerPhone == "+48 123 456 789")
    #expect(restored.species == "dog" && restored.breed == "Labrador" && restored.sex == .male)
    #expect(restored.age == 5 && restored.dateOfDisappearance == (day("2025-11-20")))
    #expect(restored.completedSteps == [1, 2, 3, 4])
  }

  @Test func draftsLieSideBySide() async throws {
    let cache = try TestCache()
    let environment = try FlowEnvironment.test(cache: cache)
    let (first, second) = (try cache.flow("first"), try cache.flow("second"))
    try await first.complete(environment)
    second.handle(.edited(.name("Ola")))
    #expect(second.photoStatus == .empty)
    try await first.clear()
    #expect(try cache.reopened("second").draft.contactInput[.name] == "Ola")
    #expect(try await cache.store.ids() == ["second"])
  }

  @Test func clearRemovesEverythingAndThePhoto() async throws {
    let cache = try TestCache()
    let flow = try cache.flow()
    try await flow.complete(try FlowEnvironment.test(cache: cache))
    let blob = try #require(flow.photoAttachment?.cachedURL)
    let key = flow.draft.submissionKey
    #expect(FileManager.default.fileExists(atPath: blob.path))
    try await flow.clear()
    #expect(flow.draft == ReportDraft(id: "default", submissionKey: flow.draft.submissionKey))
    #expect(flow.draft.submissionKey != key)
    #expect(flow.photoStatus == .empty && flow.photoAttachment == nil)
    #expect(!FileManager.default.fileExists(atPath: blob.path))
    #expect(try await cache.store.ids() == [])
    try await flow.clear()  // this also works if the draft doesn't exist
    #expect(flow.photoStatus == .empty)
  }

  @Test func observersHearOfChanges() throws {
    let cache = try TestCache()
    let flow = try cache.flow()
    let heard = Mutex(false)
    withObservationTracking {
      _ = flow.draft.chipInput
    } onChange: {
      heard.withLock { $0 = true }
    }
    flow.handle(.edited(.chip("1")))
    #expect(heard.withLock { $0 })
  }

  /// A change that can't be written is reported, and the next one saves it, too.
  @Test func aFailedSaveIsToldAndMadeGoodLater() throws {
    let cache = try TestCache()
    let flow = try cache.flow()
    try cache.execute("ALTER TABLE report_draft RENAME TO elsewhere")
    flow.handle(.edited(.chip("1")))
    #expect(flow.saveFailure != nil)
    #expect(cache.log.all == ["error: draft not saved"])
    try cache.execute("ALTER TABLE elsewhere RENAME TO report_draft")
    flow.handle(.edited(.chip("1")))  // no change, but the failed save has to be repeated
    #expect(flow.saveFailure == nil)
    #expect(try cache.reopened().draft.chipInput == "1")
  }

  @Test func untouchedDraftsAreFound() async throws {
    let cache = try TestCache()
    let old = instant("2025-11-01T00:00:00Z")
    for (id, moment) in [("old", old), ("new", old + 60)] {
      let draft = ReportDraft(id: id, submissionKey: UUID())
      #expect(try await cache.store.save(draft, over: nil, now: moment) != nil)
    }
    #expect(try await cache.store.ids(untouchedSince: old + 1) == ["old"])
    #expect(try await cache.store.ids() == ["old", "new"])
    try await cache.store.delete("old")
    try await cache.store.delete("old")
    #expect(try await cache.store.ids() == ["new"])
  }
}
