public import Announcements
public import Observation

/// The landing page: the five newest announcements, with distances when the reader's position is
/// known (seed 058, `LandingPageViewModel`).
@MainActor @Observable
public final class LandingPageViewModel {
  /// The list, which keeps its own state.
  public let listViewModel: AnnouncementCardsListViewModel
  /// Whether the note about a refused permission is shown; at most once a session.
  public private(set) var isPermissionPopupShown = false
  /// What the reader allows, as last heard.
  public private(set) var authorization = LocationAuthorization.notDetermined
  /// Where the reader is; nil when it is not known.
  public private(set) var location: Coordinate?
  /// Called when the reader wants to change the permission.
  @ObservationIgnored public var onOpenSettings: (() -> Void)?

  @ObservationIgnored private let locationHandler: LocationPermissionHandler
  @ObservationIgnored private var hasShownPopup = false

  /// A page whose list is empty and not loading yet.
  public init(
    repository: any AnnouncementRepositoryProtocol, locationHandler: LocationPermissionHandler,
    words: Words, onAnnouncementTapped: @escaping (String) -> Void
  ) {
    self.locationHandler = locationHandler
    listViewModel = AnnouncementCardsListViewModel(
      repository: repository, query: .landingPageQuery(location: nil), words: words,
      onAnnouncementTapped: onAnnouncementTapped)
  }

  /// Asks for the position, then loads; without a position the list comes all the same.
  public func loadData() async {
    let result = await locationHandler.requestLocationWithPermissions()
    (authorization, location) = (result.authorization, result.location)
    if result.authorization.isRefused && !hasShownPopup {
      (isPermissionPopupShown, hasShownPopup) = (true, true)
    }
    listViewModel.setQuery(.landingPageQuery(location: result.location))
  }

  /// The permission changed outside: loads again when it turned from not authorized to authorized.
  public func permissionChanged(to newValue: LocationAuthorization) async {
    let isNew = !authorization.isAuthorized && newValue.isAuthorized
    authorization = newValue
    if isNew { await loadData() }
  }

  /// The note's first button: goes on without a position.
  public func continueWithoutLocation() {
    isPermissionPopupShown = false
    location = nil
    listViewModel.setQuery(.landingPageQuery(location: nil))
  }

  /// The note's second button.
  public func goToSettingsTapped() {
    isPermissionPopupShown = false
    onOpenSettings?()
  }

  /// The note; nil while it is not shown.
  public var permissionPopup: PermissionAlert? {
    guard isPermissionPopupShown else { return nil }
    let words = listViewModel.words
    return PermissionAlert(
      title: words("landing.popupTitle"), message: words("landing.popupMessage"),
      cancelTitle: words("flow.cancel"), settingsTitle: words("location.goToSettings"),
      accessibilityIDPrefix: "startup.permissionPopup")
  }
}
