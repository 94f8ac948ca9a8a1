import Announcements
import Foundation
import ReportFlow
import Synchronization
import TestReports
import Testing

@testable import ReportFlowViewModels

/// A repository in which every call waits until the test provides its result.
private final class GatedRepository: AnnouncementRepositoryProtocol {
  typealias Answer = Result<[Announcement], any Error>
  private struct State {
    var queries: [AnnouncementListQuery] = []
    var waiting: [CheckedContinuation<[Announcement], any Error>] = []
  }
  private let state = Mutex(State())
  var queries: [AnnouncementListQuery] { state.withLock { $0.queries } }

  func announcements(matching query: AnnouncementListQuery) async throws -> [Announcement] {
    try await withCheckedThrowingContinuation { continuation in
      state.withLock {
        $0.queries.append(query)
        $0.waiting.append(continuation)
      }
    }
  }

  /// Waits for the call with this number, counted from 0, and provides its result.
  func answer(_ number: Int, _ answer: Answer) async {
    while state.withLock({ $0.waiting.count }) <= number { await Task.yield() }
    state.withLock { $0.waiting[number] }.resume(with: answer)
  }

  func announcement(id: String) throws -> Announcement { throw AnnouncementError.notFound(id: id) }
  func shows(photo id: UUID) -> Bool { false }
  func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String,
    client: AnnouncementClient?
  ) throws -> CreatedAnnouncement { throw AnnouncementError.unavailable("") }
  func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) throws -> Announcement { throw AnnouncementError.notFound(id: id) }
  func close(id: String, managementPassword: String, client: String?) throws -> Announcement {
    throw AnnouncementError.notFound(id: id)
  }
  func erase(id: String, managementPassword: String, client: String?) throws {
    throw AnnouncementError.notFound(id: id)
  }
  func withdraw(idempotencyKey: UUID, credentials: AnnouncementCredentials?) -> Announcement? {
    nil
  }
}

private func announcement(
  _ id: String, name: String? = "Max", at place: Coordinate? = nil, breed: String? = "Labrador",
  status: AnnouncementStatus = .lost
) throws -> Announcement {
  var details = Announcement.Details()
  (details.breed, details.speciesID) = (breed, "dog")
  details.dateOfDisappearance = day("2025-11-20")
  details.petNameGiven = name != nil
  return try Announcement(
    id: id, petName: name ?? "Dog", species: "Dog", status: status,
    location: place.flatMap { Location($0) }, contactName: "Ola", contactPhone: "1234567",
    createdAt: instant("2025-11-21T10:00:00Z"), updatedAt: instant("2025-11-21T10:00:00Z"),
    details: details)
}

@MainActor @Suite struct AnnouncementCardsListViewModelTests {
  private let repository = GatedRepository()
  private func model(
    _ query: AnnouncementListQuery = .landingPageQuery(location: nil), language: Language = .en,
    tap: @escaping (String) -> Void = { _ in }
  ) -> AnnouncementCardsListViewModel {
    AnnouncementCardsListViewModel(
      repository: repository, query: query, language: language, onAnnouncementTapped: tap)
  }

  @Test func initialLoadingAndListStates() async throws {
    let model = model()
    #expect(model.cardViewModels.isEmpty && !model.isLoading && model.errorMessage == nil)
    model.setQuery(.landingPageQuery(location: nil))
    #expect(model.isLoading && model.state == .loading)
    await repository.answer(0, .success([try announcement("a"), try announcement("b")]))
    await model.loaded()
    #expect(!model.isLoading && model.state == .list && model.errorMessage == nil)
    #expect(model.cardViewModels.map(\.announcementID) == ["a", "b"])
  }

  @Test func emptyErrorAndRetryStates() async throws {
    let model = model(language: .pl)
    model.reload()
    await repository.answer(0, .success([try announcement("a")]))
    await model.loaded()
    model.reload()
    await repository.answer(1, .failure(AnnouncementError.unavailable("offline")))
    await model.loaded()
    #expect(model.state == .error && model.cardViewModels.isEmpty && !model.isLoading)
    #expect(model.errorMessage?.hasPrefix("Nie udało się skorzystać z serwera (offline).") == true)
    model.reload()
    #expect(model.state == .loading && model.errorMessage == nil)
    await repository.answer(2, .success([]))
    await model.loaded()
    #expect(model.state == .empty && model.errorMessage == nil)
  }

  /// A slow result of an older load, or its failure, changes nothing (lesson P26).
  @Test func theNewestLoadWinsOverALaterAnswerOfAnOlderOne() async throws {
    let model = model()
    model.reload()
    await waitForCalls(1)
    model.setQuery(AnnouncementListQuery(limit: 3))
    await repository.answer(1, .success([try announcement("new")]))
    await model.loaded()
    await repository.answer(0, .success([try announcement("old")]))
    model.reload()
    await waitForCalls(3)
    model.reload()
    await repository.answer(2, .failure(AnnouncementError.unavailable("old")))
    await repository.answer(3, .success([try announcement("newer")]))
    await model.loaded()
    #expect(model.cardViewModels.map(\.announcementID) == ["newer"] && model.errorMessage == nil)
    #expect(repository.queries.map(\.limit) == [5, 3, 3, 3])
  }

  @Test func aCancelledLoadIsNoError() async throws {
    let model = model()
    model.reload()
    await repository.answer(0, .failure(CancellationError()))
    await model.loaded()
    #expect(model.errorMessage == nil && !model.isLoading)
  }

  private func waitForCalls(_ count: Int) async {
    while repository.queries.count < count { await Task.yield() }
  }

  @Test func neverMoreThanAskedForAndTheFirstOfEqualIDs() async throws {
    let model = model()
    model.reload()
    let ids = ["a", "b", "a", "c", "d", "e", "f", "g"]
    await repository.answer(0, .success(try ids.map { try announcement($0) }))
    await model.loaded()
    #expect(model.cardViewModels.map(\.announcementID) == ["a", "b", "c", "d", "e"])
  }

  @Test func knownCardsAreKeptWithTheirState() async throws {
    let model = model()
    model.reload()
    await repository.answer(0, .success([try announcement("a")]))
    await model.loaded()
    let card = try #require(model.cardViewModels.first)
    card.isExpanded = true
    model.setQuery(.landingPageQuery(location: point(52, 21)))
    await repository.answer(
      1, .success([try announcement("a", at: point(52, 21), breed: "Pug", status: .found)]))
    await model.loaded()
    #expect(model.cardViewModels.first === card && card.isExpanded)
    #expect(card.breedText == "Pug" && card.statusText == "FOUND" && card.distanceText == "0.0 km")
  }

  @Test func aTapGivesTheID() async throws {
    var tapped: [String] = []
    let model = model(tap: { tapped.append($0) })
    model.reload()
    await repository.answer(0, .success([try announcement("a")]))
    await model.loaded()
    model.cardViewModels.first?.tapped()
    #expect(tapped == ["a"])
  }
}

@MainActor @Suite struct AnnouncementCardViewModelTests {
  private func card(
    _ announcement: Announcement, from place: Coordinate? = nil, language: Language = .en
  ) -> AnnouncementCardViewModel {
    AnnouncementCardViewModel(announcement, readerLocation: place, language: language) { _ in }
  }

  @Test func whatACardSays() throws {
    let announcement = try announcement("a", at: point(52.2297, 21.0122))
    let en = card(announcement, from: point(52.25, 21.0122))
    #expect(en.title == "Max" && en.speciesText == "Dog" && en.breedText == "Labrador")
    #expect(en.statusText == "LOST" && en.statusColor == "#FF0000" && en.dateText == "2025-11-20")
    #expect(en.locationText == "52.2297° N, 21.0122° E" && en.distanceText == "2.3 km")
    #expect(en.accessibilityID == "animalList.item.a" && en.photoURL == nil)
    let pl = card(announcement, from: point(52.25, 21.0122), language: .pl)
    #expect(pl.speciesText == "Pies" && pl.statusText == "ZAGINIONE" && pl.distanceText == "2,3 km")
  }

  @Test func withoutPlacesThereIsNoDistanceAndNoError() throws {
    #expect(card(try announcement("a", at: point(52, 21))).distanceText == nil)
    let placeless = card(try announcement("a", breed: nil), from: point(52, 21))
    #expect(placeless.distanceText == nil && placeless.locationText == nil)
    #expect(placeless.breedText == "-")
  }

  @Test func aNamelessPetIsCalledByItsSpecies() throws {
    #expect(card(try announcement("a", name: "Dog"), language: .pl).title == "Dog")
    let nameless = try announcement("a", name: nil)
    #expect(card(nameless, language: .pl).title == "Pies bez imienia")
    #expect(card(nameless).title == "Dog, name not given")
  }

  @Test func whatANeighborReads() throws {
    let labrador = AnnouncementCard(try announcement("a"), readerLocation: nil, words: english)
    #expect(labrador.fullDateText(today: day("2025-11-20")) == "November 20, 2025 (today)")
    #expect(labrador.fullDateText(today: day("2025-11-19")) == "November 20, 2025 (today)")
    #expect(labrador.friendlyDateText(today: day("2025-11-21")) == "yesterday")
    #expect(labrador.friendlyDateText(today: day("2025-12-20")) == "30 days ago")
    #expect(labrador.fullDateText(today: day("2025-12-21")) == "November 20, 2025")
    #expect(labrador.shareTitle == "Missing dog: Max")
    #expect(
      labrador.shareText
        == "Missing since November 20, 2025. Dog, Labrador. Have you seen Max? Please call.")
    for breed in ["pies", "Dog ", "-", ""] {
      let card = AnnouncementCard(
        try announcement("a", breed: breed), readerLocation: nil, words: polish)
      #expect(card.distinctBreedText == nil)
      #expect(card.friendlyDateText(today: day("2025-11-25")) == "5 dni temu")
      #expect(card.longDateText == "20 listopada 2025")
    }
  }

  @Test func everyStatusHasItsTextAndColor() throws {
    let cards = try AnnouncementStatus.allCases.map { card(try announcement("a", status: $0)) }
    #expect(cards.map(\.statusText) == ["LOST", "FOUND", "CLOSED"])
    #expect(cards.map(\.statusColor) == ["#FF0000", "#008236", "#93A2B4"])
  }
}

@MainActor @Suite struct LandingPageViewModelTests {
  private func page(
    _ cache: TestCache, _ location: any LocationService, tap: @escaping (String) -> Void = { _ in }
  ) -> LandingPageViewModel {
    LandingPageViewModel(
      repository: cache.repository(), locationHandler: LocationPermissionHandler(location),
      language: .en, onAnnouncementTapped: tap)
  }

  @Test func theFiveNewestWithDistances() async throws {
    let cache = try TestCache()
    let here = point(52.2297, 21.0122)
    try await insertAnnouncements(Array(repeating: here, count: 7), into: cache)
    var tapped: [String] = []
    let page = page(cache, FixedLocationService(here)) { tapped.append($0) }
    #expect(page.listViewModel.state == .empty && !page.listViewModel.isLoading)
    await page.loadData()
    await page.listViewModel.loaded()
    let cards = page.listViewModel.cardViewModels
    #expect(cards.count == 5 && cards.allSatisfy { $0.distanceText == "0.0 km" })
    let ages = cards.map { ($0.announcement.createdAt.timeIntervalSince1970 * 1000).rounded() }
    #expect(ages == [6, 5, 4, 3, 2])
    #expect(page.authorization == .authorizedWhenInUse && page.location == here)
    #expect(page.permissionPopup == nil)
    cards[0].tapped()
    #expect(tapped == [cards[0].announcementID])
  }

  @Test func aRefusalIsToldOncePerSessionAndTheListComesAllTheSame() async throws {
    let cache = try TestCache()
    try await insertAnnouncements([point(1, 1)], into: cache)
    let page = page(cache, FixedLocationService(nil))
    await page.loadData()
    #expect(page.permissionPopup?.title == "We can’t see your location")
    page.continueWithoutLocation()
    await page.listViewModel.loaded()
    #expect(page.permissionPopup == nil)
    #expect(page.listViewModel.cardViewModels.map(\.distanceText) == [nil])
    #expect(page.listViewModel.errorMessage == nil && page.listViewModel.state == .list)
    await page.loadData()
    #expect(page.permissionPopup == nil)
    var opened = 0
    page.onOpenSettings = { opened += 1 }
    page.goToSettingsTapped()
    #expect(opened == 1)
  }

  @Test func becomingAuthorizedLoadsAgainOnce() async throws {
    let cache = try TestCache()
    let page = page(cache, FixedLocationService(point(1, 1)))
    for (status, location) in [
      (LocationAuthorization.denied, nil), (.authorizedWhenInUse, point(1, 1)),
      (.denied, point(1, 1)),
    ] {
      await page.permissionChanged(to: status)
      #expect(page.location == location)
    }
  }

  @Test func aFailingStoreIsAnErrorWithRetry() async throws {
    let cache = try TestCache()
    try cache.execute("ALTER TABLE announcement RENAME TO elsewhere")
    let page = page(cache, FixedLocationService(nil))
    await page.loadData()
    await page.listViewModel.loaded()
    let message = try #require(page.listViewModel.errorMessage)
    #expect(message.hasPrefix("The database can’t be used."), "\(message)")
    try cache.execute("ALTER TABLE elsewhere RENAME TO announcement")
    page.listViewModel.reload()
    await page.listViewModel.loaded()
    #expect(page.listViewModel.state == .empty)
  }
}
