public import Announcements
public import Observation
public import PhotoModel
public import ReportFlow

/// The model of the landing page, which shows the five newest announcements, with distances if the reader's position is
/// known (seed 058, `LandingPageViewModel`).
@MainActor @Observable
public final class LandingPageViewModel {
  /// The model of the list, which manages its own state.
  public let listViewModel: AnnouncementCardsListViewModel
  /// `true` while the note about a denied permission is shown. It's shown at most once per session.
  public private(set) var isPermissionPopupShown = false
  /// The reader's location permission when it was last checked.
  public private(set) var authorization = LocationAuthorization.notDetermined
  /// The reader's position, or `nil` if unknown.
  public private(set) var location: Coordinate?
  /// Runs when the reader wants to change the permission.
  @ObservationIgnored public var onOpenSettings: (() -> Void)?

  @ObservationIgnored private let locationHandler: LocationPermissionHandler
  @ObservationIgnored private var hasShownPopup = false

  /// Creates a page with an empty list, without loading it.
  public init(
    repository: any AnnouncementRepositoryProtocol, locationHandler: LocationPermissionHandler,
    language: Language, onAnnouncementTapped: @escaping (String) -> Void
  ) {
    self.locationHandler = locationHandler
    listViewModel = AnnouncementCardsListViewModel(
      repository: repository, query: .landingPageQuery(location: nil), language: language,
      onAnnouncementTapped: onAnnouncementTapped)
  }

  /// Requests the position and then loads the list, even without a position.
  public func loadData() async {
    let result = await locationHandler.requestLocationWithPermissions()
    authorization = result.authorization
    location = result.location
    if result.authorization.isRefused && !hasShownPopup {
      isPermissionPopupShown = true
      hasShownPopup = true
    }
    listViewModel.setQuery(.landingPageQuery(location: result.location))
  }

  /// Handles a permission that changed outside the app. Loads the list again if the permission was newly granted.
  public func permissionChanged(to newValue: LocationAuthorization) async {
    let isNew = !authorization.isAuthorized && newValue.isAuthorized
    authorization = newValue
    if isNew { await loadData() }
  }

  /// Dismisses the note and loads the list without a position. This is the note's first button.
  public func continueWithoutLocation() {
    isPermissionPopupShown = false
    location = nil
    listViewModel.setQuery(.landingPageQuery(location: nil))
  }

  /// Dismisses the note and opens the settings. This is its second button.
  public func goToSettingsTapped() {
    isPermissionPopupShown = false
    onOpenSettings?()
  }

  /// The note, or `nil` if it isn't shown.
  public var permissionPopup: PermissionAlert? {
    guard isPermissionPopupShown else { return nil }
    let words = listViewModel.words
    return PermissionAlert(
      title: words("landing.popupTitle"), message: words("landing.popupMessage"),
      cancelTitle: words("flow.cancel"), settingsTitle: words("location.goToSettings"),
      accessibilityIDPrefix: "startup.permissionPopup")
  }
}
