import Announcements
import Foundation
import PhotoAttachments
import TestReports
import Testing

@testable import ReportFlow
@testable import ReportFlowViewModels
import PhotoIngestion

@MainActor @Suite struct ContactDetailsViewModelTests {
  let cache: TestCache
  let flow: ReportMissingPetFlowState
  let repository: StumblingRepository
  let model: ContactDetailsViewModel

  init() async throws {
    cache = try TestCache()
    flow = try cache.flow()
    let environment = try FlowEnvironment.test(cache: cache)
    try await flow.complete(environment)
    for edit: FlowEdit in [.name(""), .phone("")] { flow.handle(.edited(edit)) }
    repository = StumblingRepository(cache.repository())
    model = ContactDetailsViewModel(
      flowState: flow, environment: environment,
      submission: AnnouncementSubmissionService(to: repository), language: .en)
  }

  private func fill() {
    (model[.name], model[.phone], model[.email]) = ("Ola", "+48 600-111-222", "ola@example.org")
  }

  @Test func allErrorsAtOnceWithTheToastAndNothingSent() async {
    model.onSubmitted = { _ in Issue.record("must not submit") }
    model[.email] = "ola"
    await model.continueTapped()
    #expect(model.errors == [.missingName, .invalidPhone("contact.phoneTooShort"), .invalidEmail])
    #expect(model.toasts.toast == .correctFields)
    #expect(
      model.fieldModels.map(\.errorMessage) == [
        "Enter your name", "Enter your phone number (at least 7 digits)",
        "Enter a valid email address", nil,
      ])
    #expect(repository.calls.isEmpty && !flow.draft.isAnnounced)
  }

  @Test func invalidThenValidIsClearedAndSubmitted() async throws {
    var passwords: [String?] = []
    model.onSubmitted = { passwords.append($0) }
    await model.continueTapped()
    fill()
    await model.continueTapped()
    #expect(model.errors.isEmpty && model.toasts.toast == nil && model.alert == nil)
    #expect(!model.isSubmitting && repository.calls == ["create", "attachPhoto"])
    let password = try #require(flow.managementPassword)
    #expect(passwords == [password])
    #expect(flow.draft.step == .summary)
    #expect(
      flow.contactDetails
        == ContactDetails(name: "Ola", phone: "+48 600-111-222", email: "ola@example.org"))
  }

  @Test func aFailureShowsAnAlertKeepsTheInputsAndCanBeRetried() async {
    fill()
    repository.failures = ["create": AnnouncementError.unavailable("offline")]
    await model.continueTapped()
    #expect(model.alert?.message == "submit.network" && !model.isSubmitting)
    #expect(model[.phone] == "+48 600-111-222" && model.errors.isEmpty)
    model.alertCancelled()
    #expect(model.alert == nil)
    let failures: [(any Error, TextKey)] = [
      (AnnouncementError.throttled(until: Date()), "submit.other"),
      (AnnouncementError.duplicateMicrochip, "failure.duplicate-microchip"),
      (AnnouncementError.idempotencyMismatch, "failure.idempotency-mismatch"),
      (StoreError.storageFull(operation: "write", path: "/", errno: 28), "failure.storage-full"),
      (StoreError.storage(operation: "write", path: "/", errno: 5), "failure.storage"),
      (StoreError.busy(seconds: 1), "failure.busy"),
    ]
    for (failure, text) in failures {
      repository.failures = ["create": failure]
      await model.continueTapped()
      #expect(model.alert?.message == text)
    }
    repository.failures = [:]
    await model.tryAgainTapped()
    #expect(model.alert == nil && flow.draft.step == .summary)
  }

  @Test func aMissingStepIsNamedBeforeAnythingIsSent() async throws {
    fill()
    try await cache.photos.remove(draft: "default")
    await model.continueTapped()
    #expect(model.alert == SubmissionAlert(message: "submit.incomplete", missingSteps: [.photo]))
    #expect(repository.calls.isEmpty)
  }

  @Test func backKeepsEverythingTyped() throws {
    fill()
    model[.reward] = String(repeating: "x", count: 121)
    var backs = 0
    model.onBack = { backs += 1 }
    model.backTapped()
    #expect(backs == 1 && flow.draft.step == .description)
    let input = try cache.reopened().draft.contactInput
    #expect(input[.name] == "Ola" && input[.phone] == "+48 600-111-222")
    #expect(input[.reward].count == 120)
  }

  @Test func theFieldsHaveStableIdentifiers() {
    #expect(
      model.fieldModels.map(\.accessibilityID) == [
        "ownersDetails.nameInput", "ownersDetails.phoneInput", "ownersDetails.emailInput",
        "ownersDetails.rewardInput",
      ])
    #expect(
      model.fieldModels.map(\.keyboardType) == [.standard, .phonePad, .emailAddress, .standard])
  }
}

@MainActor @Suite struct SummaryViewModelTests {
  private func submitted(_ cache: TestCache) async throws -> ReportMissingPetFlowState {
    let flow = try cache.flow()
    try await flow.complete(try .test(cache: cache))
    _ = try await AnnouncementSubmissionService(to: cache.repository()).submit(flow)
    return flow
  }

  @Test func thePasswordIsShownCopiedAndForgotten() async throws {
    let cache = try TestCache()
    let (flow, clock) = (try await submitted(cache), ManualClock())
    let model = SummaryViewModel(
      flowState: flow, environment: try .test(clock: clock, cache: cache), language: .en)
    #expect(
      model.managementPassword == flow.managementPassword && !model.managementPassword.isEmpty)
    model.passwordTapped()  // without a clipboard there is no toast about copying
    #expect(model.toasts.toast == nil)
    var clipboard: [String] = []
    model.copyToClipboard = { clipboard.append($0) }
    model.passwordTapped()
    #expect(clipboard == [model.managementPassword] && model.toasts.toast == .codeCopied)
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    await model.toasts.settled()
    #expect(model.toasts.toast == nil)
    // If the program is killed before Close, the code is still stored; after Close it is deleted.
    #expect(try cache.reopened().managementPassword == model.managementPassword)
    var closes = 0
    model.onClose = { closes += 1 }
    model.closeTapped()
    #expect(closes == 1)
    #expect(try cache.reopened().managementPassword == nil)
  }

  @Test func withoutAPasswordNothingIsCopied() throws {
    let cache = try TestCache()
    let model = SummaryViewModel(
      flowState: try cache.flow(), environment: try .test(cache: cache), language: .pl)
    model.copyToClipboard = { _ in Issue.record("nothing to copy") }
    #expect(model.managementPassword == "")
    model.passwordTapped()
    #expect(model.toasts.toast == nil)
    model.closeTapped()
  }
}

@MainActor @Suite struct ReportMissingPetCoordinatorTests {
  /// Completes a report from the first step to the summary, as a user interface does.
  @Test(arguments: Language.allCases) func aWholeReport(_ language: Language) async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let coordinator = ReportMissingPetCoordinator(
      flowState: try cache.flow(), environment: try .test(cache: cache),
      intake: .pipeline(PhotoPipeline(decoding: .inProcess)),
      submission: AnnouncementSubmissionService(to: repository), language: language)
    var (titles, progress) = ([String](), [String?]())
    func look() {
      titles.append(coordinator.title)
      progress.append(coordinator.progressText)
    }
    look()
    coordinator.makeChipNumber().continueTapped()
    look()
    let photo = coordinator.makePhoto()
    await photo.select(testImage("one-pixel.gif"))
    await photo.continueTapped()
    look()
    let description = coordinator.makeAnimalDescription()
    description.selectedSpecies = dog
    description.race = "Labrador"
    description.selectedGender = .female
    description.continueTapped()
    look()
    var reloads = 0
    coordinator.onSubmitted = { reloads += 1 }
    let contact = coordinator.makeContactDetails()
    (contact[.name], contact[.phone]) = ("Ola", "600 111 222")
    await contact.continueTapped()
    look()
    #expect(reloads == 1)
    #expect(progress == ["1/4", "2/4", "3/4", "4/4", nil])
    #expect(
      titles
        == (language == .en
          ? [
            "Microchip number", "Pet photo", "Animal description", "Your contact details",
            "Summary",
          ]
          : [
            "Numer mikroczipu", "Zdjęcie zwierzęcia", "Opis zwierzęcia", "Twoje dane kontaktowe",
            "Podsumowanie",
          ]))
    let list = try await repository.announcements(matching: .landingPageQuery(location: nil))
    #expect(list.map(\.contactName) == ["Ola"])
    #expect(list.first?.petName == "Dog" && list.first?.details.petNameGiven == false)
    #expect(list.first?.details.photoSHA256 != nil)
    #expect(list.first?.location == nil)
    coordinator.makeSummary().closeTapped()
    #expect(coordinator.isFinished)
  }

  @Test func aKilledFlowGoesOnAtItsStepAndBackFollowsTheProgress() async throws {
    let cache = try TestCache()
    let environment = try FlowEnvironment.test(cache: cache)
    try await cache.flow().complete(environment)
    let coordinator = ReportMissingPetCoordinator(
      flowState: try cache.reopened(), environment: environment,
      intake: .pipeline(PhotoPipeline(decoding: .inProcess)),
      submission: AnnouncementSubmissionService(to: cache.repository()), language: .en)
    #expect(coordinator.step == .contact && coordinator.progressText == "4/4")
    coordinator.makeContactDetails().backTapped()
    coordinator.makeAnimalDescription().backTapped()
    #expect(coordinator.progressText == "2/4")
    await coordinator.makePhoto().continueTapped()
    #expect(coordinator.progressText == "3/4")
    #expect(coordinator.makeAnimalDescription().race == "Labrador")
  }
}
