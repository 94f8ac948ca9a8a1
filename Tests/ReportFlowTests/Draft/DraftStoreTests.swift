import Announcements
import Foundation
import PhotoAttachments
import ReportFlowViewModels
import TestReports
import Testing

@testable import ReportFlow
import PhotoIngestion

@MainActor @Suite struct DraftStoreTests {
  let cache: TestCache

  init() throws { cache = try TestCache() }

  private func put(_ content: String, as id: String = "default") throws {
    try cache.putOldDraft(content, as: id)
  }

  private func content(_ id: String = "default") throws -> String? {
    try cache.drafts.draft(id)?.content
  }

  @Test func draftsOfTheFirstFormAreReadAsTheyWereLeft() throws {
    for (id, content) in GoldenDrafts.all { try put(content, as: id) }
    let whole = try cache.flow("whole").draft
    #expect(whole.submissionKey.uuidString == "8A0326FF-3B5C-43DF-9BA8-CAFC2116A367")
    #expect(whole.missingSteps.isEmpty && whole.step == .contact)
    #expect(whole.chipNumber == "616093900012345" && whole.petName == "Łatek")
    #expect(whole.animalDescription?.disappearanceDate == day("2025-11-18"))
    #expect(whole.animalDescription?.age == 4 && whole.animalDescription?.race == "Baran")
    #expect(whole.locationCapture?.captureMethod == .manual)
    #expect(whole.contactDetails?.rewardDescription == "100 zł")
    let typed = try cache.flow("typed").draft
    #expect(typed.descriptionInput[.age] == "99" && typed.contactInput[.name] == "Jan")
    #expect(typed.missingSteps == [.photo, .description, .contact])
    let half = try cache.flow("half").draft
    #expect(half.submission?.managementPassword == "MKHN-Z3SH-YJ3W" && half.isAnnounced)
    #expect(!half.isSubmitted)
    let done = try cache.flow("done").draft
    #expect(done.isSubmitted && done.step == .summary && done.missingSteps.isEmpty)
    // Input after the last valid Continue would not have been published.
    #expect(try cache.flow("refused").draft.missingSteps == [.description])
  }

  /// If any key is missing, the draft is either read with all the others or reported as damaged. It never counts as
  /// absent, and is never overwritten.
  @Test func aMissingKeyNeverCostsTheDraft() throws {
    for (_, content) in GoldenDrafts.all {
      let whole = try #require(
        try JSONSerialization.jsonObject(with: Data(content.utf8)) as? [String: Any])
      for path in Self.paths(of: whole) {
        let less = Self.without(path[...], whole)
        let text = String(
          decoding: try JSONSerialization.data(withJSONObject: less), as: UTF8.self)
        try put(text)
        do {
          let draft = try cache.flow().draft
          let key = (less["submissionKey"] as? String)
          #expect(draft.submissionKey.uuidString == key, "\(path)")
          let kept = (less["submission"] as? [String: Any])?["managementPassword"] as? String
          #expect(draft.submission?.managementPassword == kept, "\(path)")
        } catch {
          guard case .database(.damagedDraft, _) = error as? StoreError else { throw error }
        }
        #expect(try self.content() == text)
      }
    }
  }

  private static func paths(of object: [String: Any]) -> [[String]] {
    object.flatMap { key, value in
      [[key]] + ((value as? [String: Any]).map { paths(of: $0).map { [key] + $0 } } ?? [])
    }
  }

  private static func without(_ path: ArraySlice<String>, _ object: [String: Any]) -> [String: Any]
  {
    var object = object
    guard let key = path.first else { return object }
    if path.count == 1 {
      object[key] = nil
    } else if let inner = object[key] as? [String: Any] {
      object[key] = without(path.dropFirst(), inner)
    }
    return object
  }

  @Test func aNewerOrDamagedDraftIsAnErrorAndStaysAsItIs() throws {
    let newer = #"{"version":4,"id":"default","shape":"unknown"}"#
    let rows: [(String, StoreError.DatabaseProblem, String)] = [
      (newer, .newerDraft, "format 4"), (#"{"id":"#, .damagedDraft, "--force"),
      ("[]", .damagedDraft, "damaged"), (#"{"version":2}"#, .damagedDraft, "--draft"),
    ]
    for (content, what, words) in rows {
      try put(content)
      let error = #expect(throws: StoreError.self) { try cache.flow() }
      guard case .database(what, _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(error?.message(in: english).contains(words) == true)
      #expect(try self.content() == content)
    }
  }

  @Test func whatIsStoredNamesItsForm() throws {
    try cache.flow().handle(.edited(.chip("1")))
    #expect(try content()?.contains("\"version\":3") == true)
    try put(GoldenDrafts.typed, as: "typed")
    try cache.flow("typed").handle(.edited(.name("Ola")))
    #expect(try content("typed")?.contains("\"version\":3") == true)
    #expect(try cache.reopened("typed").draft.descriptionInput[.race] == "Beagle")
  }

  @Test func aWriteOverAnotherOneIsRefused() async throws {
    let (store, now) = (cache.store, Date())
    let draft = ReportDraft(id: "default", submissionKey: UUID())
    let first = try #require(try await store.save(draft, over: nil, now: now))
    #expect(try await store.save(draft, over: nil, now: now) == nil)
    let second = try #require(try await store.save(draft, over: first, now: now))
    #expect(try await store.save(draft, over: first, now: now) == nil)
    try await store.delete("default")
    #expect(try await store.save(draft, over: second, now: now) == nil)
    #expect(try await store.load("default")?.revision == nil)
  }

  /// Two processes load the draft at the same moment, and each finishes another step.
  @Test func ofTwoStepsDoneAtOnceNoneIsLost() async throws {
    let (first, second) = (try await session(), try await session())
    try await describe(first, [.species(dog), .race("Pug"), .gender(.male)])
    let outcome = try await second.change { draft in
      draft.handle(.edited(.name("Ola")))
      draft.handle(.edited(.phone("1234567")))
      return draft.handle(.continued(.contact, Self.context))
    }
    #expect(outcome == .moved(to: .summary))
    try await first.record(.edited(.chip("5")))
    let draft = try cache.reopened().draft
    #expect(draft.animalDescription?.race == "Pug" && draft.contactDetails?.name == "Ola")
    #expect(draft.chipInput == "5" && draft.completedSteps == [.description, .contact])
    #expect(await first.draft == draft)
  }

  /// Two descriptions at once are stored one after the other, and never mixed.
  @Test func stepsAreNotMixed() async throws {
    let (first, second) = (try await session(), try await session())
    try await describe(second, [.species(cat), .race("Siamese"), .gender(.female)])
    try await describe(first, [.species(dog), .race("Pug"), .gender(.male)])
    let counted = try #require(try cache.reopened().animalDescription)
    #expect(counted.species == dog && counted.race == "Pug" && counted.gender == .male)
  }

  private nonisolated static let context = FlowContext(today: day("2025-11-20"), now: Date())

  /// Returns a session that has loaded the draft, as one process does.
  private func session() async throws -> DraftSession {
    try await DraftSession(
      draft: "default", store: cache.store, photos: cache.photos, logger: cache.logger)
  }

  private func describe(_ session: DraftSession, _ edits: [FlowEdit]) async throws {
    let outcome = try await session.change { draft in
      for edit in edits { draft.handle(.edited(edit)) }
      return draft.handle(.continued(.description, Self.context))
    }
    #expect(outcome == .moved(to: .contact))
  }

  /// A draft that was cleared in the meantime stays cleared, and later input belongs to the new draft.
  @Test func aDraftThatWasClearedMeanwhileBeginsAnew() async throws {
    let flow = try cache.flow()
    flow.handle(.edited(.name("Ola")))
    let key = flow.draft.submissionKey
    try await cache.reopened().clear()
    flow.handle(.edited(.phone("1234567")))
    #expect(flow.draft.contactInput[.name] == "" && flow.draft.contactInput[.phone] == "1234567")
    #expect(flow.draft.submissionKey != key)
    #expect(try cache.reopened().draft == flow.draft)
  }
}
