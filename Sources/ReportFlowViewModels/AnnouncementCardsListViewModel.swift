public import Announcements
import Foundation
public import Observation
public import PhotoModel
import ReportFlow

/// The list of cards with the states loading, error, empty and list (seed 058, `AnnouncementCardsListViewModel`).
@MainActor @Observable
public final class AnnouncementCardsListViewModel {
  /// The cards in the query's order.
  public private(set) var cardViewModels: [AnnouncementCardViewModel] = []
  /// `true` during a load.
  public private(set) var isLoading = false
  /// The message about a failed load, or `nil` if the last load succeeded.
  public var errorMessage: String? {
    switch failure {
    case nil: nil
    case let error as AnnouncementError: error.message(in: words, now: Date())
    case let error as StoreError: error.message(in: words)
    case let error?: (error as? any LocalizedError)?.errorDescription ?? words("landing.error")
    }
  }
  /// The language of the texts.
  public var language: Language {
    didSet { for card in cardViewModels { card.language = language } }
  }
  package var words: Words { Words(language) }

  /// The states of the list.
  public enum State: Sendable, Equatable {
    case loading, error, empty, list
  }

  /// The current state.
  public var state: State {
    if isLoading { return .loading }
    if failure != nil { return .error }
    return cardViewModels.isEmpty ? .empty : .list
  }

  /// The error of the last load, or `nil` if it succeeded.
  public private(set) var failure: (any Error)?
  @ObservationIgnored private let repository: any AnnouncementRepositoryProtocol
  @ObservationIgnored private var query: AnnouncementListQuery
  @ObservationIgnored private let onAnnouncementTapped: (String) -> Void
  @ObservationIgnored private var load: Task<Void, Never>?
  @ObservationIgnored private var generation = 0

  /// Creates an empty list without loading it.
  public init(
    repository: any AnnouncementRepositoryProtocol, query: AnnouncementListQuery,
    language: Language,
    onAnnouncementTapped: @escaping (String) -> Void
  ) {
    self.repository = repository
    self.query = query
    self.language = language
    self.onAnnouncementTapped = onAnnouncementTapped
  }

  /// Replaces the query and loads it. Cancels a load in progress.
  public func setQuery(_ newQuery: AnnouncementListQuery) {
    query = newQuery
    reload()
  }

  /// Loads the current query again. The retry button of the error state calls this.
  public func reload() {
    load?.cancel()
    generation += 1
    isLoading = true
    failure = nil
    load = Task { [repository, query, generation] in
      let result: Result<[Announcement], any Error>
      do {
        result = .success(try await repository.announcements(matching: query))
      } catch {
        result = .failure(error)
      }
      finish(result, of: generation, for: query)
    }
  }

  /// Waits until the newest load has ended.
  public func loaded() async {
    while let load, isLoading { await load.value }
  }

  /// Applies the result of the newest load only. Otherwise a late result or cancellation of an older load could erase
  /// the newer list (lesson P26).
  private func finish(
    _ result: Result<[Announcement], any Error>, of generation: Int,
    for query: AnnouncementListQuery
  ) {
    guard generation == self.generation else { return }
    isLoading = false
    switch result {
    case .success(let announcements): showAnnouncements(announcements, for: query)
    case .failure(is CancellationError): break
    case .failure(let error): (cardViewModels, failure) = ([], error)
    }
  }

  private func showAnnouncements(_ announcements: [Announcement], for query: AnnouncementListQuery)
  {
    var known = Dictionary(uniqueKeysWithValues: cardViewModels.map { ($0.announcementID, $0) })
    var seen = Set<String>()
    // Drop repeated ids, respect the limit, and reuse existing cards.
    let fresh = announcements.filter { seen.insert($0.id).inserted }.prefix(query.limit ?? .max)
    cardViewModels = fresh.map { announcement in
      if let card = known.removeValue(forKey: announcement.id) {
        card.update(announcement, readerLocation: query.location)
        return card
      }
      return AnnouncementCardViewModel(
        announcement, readerLocation: query.location, language: language,
        onTap: onAnnouncementTapped)
    }
  }
}
