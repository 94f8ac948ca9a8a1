public import Announcements
public import Observation
public import PhotoModel
public import ReportFlow

/// The model of step 3, the description of the animal (seeds 021, 031 and 046). Inputs are saved as they are typed and
/// accepted by Continue according to `DescriptionRules`.
@MainActor @Observable
public final class AnimalDescriptionViewModel {
  /// The language of the texts.
  public var language: Language
  package var words: Words { Words(language) }
  /// The species to choose from.
  public var taxonomy: SpeciesTaxonomy
  /// `true` if the list couldn't be refreshed. The screen then shows "Using offline list".
  public var isTaxonomyOffline = false
  /// The errors since the last Continue, by field.
  public private(set) var errors: [ValidationError] = []
  /// The result of the last attempt to capture a position.
  package private(set) var gpsHelper: TextKey?
  /// `true` while the alert about a denied permission is shown.
  public var isPermissionAlertShown = false
  /// The attached photo's position. It's offered but never applied automatically (decision 17).
  public var photoPosition: Coordinate? { flowState.photoPosition }
  /// The presenter of the short messages at the edge of the screen.
  public let toasts: ToastPresenter
  /// Runs when the step is complete.
  @ObservationIgnored public var onContinue: (() -> Void)?
  /// Runs when the person goes back.
  @ObservationIgnored public var onBack: (() -> Void)?
  /// Runs when the person wants to change the permission.
  @ObservationIgnored public var onOpenSettings: (() -> Void)?

  let flowState: ReportMissingPetFlowState
  private let environment: FlowEnvironment
  /// The default day: the current day when the screen opened.
  private let dayAtStart: CalendarDay
  private var authorization = LocationAuthorization.notDetermined

  /// Creates the model of this session's step.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment, language: Language,
    taxonomy: SpeciesTaxonomy = .bundled
  ) {
    self.flowState = flowState
    self.environment = environment
    self.language = language
    self.taxonomy = taxonomy
    dayAtStart = environment.today
    toasts = ToastPresenter(clock: environment.clock)
  }

  /// Fetches a newer list of species, at first and when the person retries. If that fails, the current list stays in
  /// use and the screen shows that it's offline (seed 021, FR-014).
  public func refreshTaxonomy() async {
    guard let source = environment.taxonomy else { return }
    await source.refresh()
    taxonomy = await source.taxonomy
    isTaxonomyOffline = await source.isOffline
  }

  private var input: DescriptionInput { flowState.draft.descriptionInput }

  @discardableResult
  private func edit(_ change: FlowEdit) -> FlowOutcome { flowState.handle(.edited(change)) }

  /// The typed text of a field. Input that the field can't hold is dropped.
  public subscript(field: FormField) -> String {
    get { input[field] }
    set { edit(.typed(field, newValue)) }
  }

  /// The day of the disappearance. A future day is refused with an error and the previous day stays.
  public var disappearanceDate: CalendarDay {
    get { input.date ?? dayAtStart }
    set {
      errors.removeAll { $0.field == .date }
      let outcome = flowState.handle(.edited(.date(newValue, today: environment.today)))
      if case .refused(let refused) = outcome { errors.append(contentsOf: refused) }
    }
  }

  /// The pet's name as typed.
  public var petName: String {
    get { self[.petName] }
    set { self[.petName] = newValue }
  }

  /// The chosen species. A different species clears the breed and the errors of both fields.
  public var selectedSpecies: SpeciesTaxonomyOption? {
    get { input.species }
    set {
      edit(.species(newValue))
      errors.removeAll { $0.field == .species || $0.field == .race }
    }
  }

  /// The breed as typed. Ignored until a species is chosen.
  public var race: String {
    get { self[.race] }
    set {
      self[.race] = newValue
      if !newValue.isEmpty { errors.removeAll { $0.field == .race } }
    }
  }

  /// The suggested breeds for the typed text.
  public var raceSuggestions: [String] { input.species?.suggestions(for: race, in: words) ?? [] }

  /// The chosen gender. Setting it clears its error.
  public var selectedGender: Gender? {
    get { input.gender }
    set {
      edit(.gender(newValue))
      errors.removeAll { $0.field == .gender }
    }
  }

  /// The age as typed.
  public var age: String {
    get { self[.age] }
    set { self[.age] = newValue }
  }

  /// The latitude as typed.
  public var latitude: String {
    get { self[.latitude] }
    set { edit(.coordinate(.latitude, newValue, locationContext)) }
  }

  /// The longitude as typed.
  public var longitude: String {
    get { self[.longitude] }
    set { edit(.coordinate(.longitude, newValue, locationContext)) }
  }

  /// The additional description. Characters beyond 500 are dropped.
  public var additionalDescription: String {
    get { self[.description] }
    set { self[.description] = newValue }
  }

  private var locationContext: LocationContext {
    LocationContext(now: environment.now(), authorization: authorization)
  }

  /// Requests the position once and fills both fields. A denied permission shows the alert on every attempt.
  public func requestGPSPosition() async {
    gpsHelper = nil
    let handler = LocationPermissionHandler(environment.location)
    let result = await handler.requestLocationWithPermissions()
    authorization = result.authorization
    if let point = result.location {
      setLocation(point, as: environment.location.isDevice ? .gps : .manual)
    } else if result.authorization.isRefused {
      isPermissionAlertShown = true
    } else {
      gpsHelper = "location.failed"
    }
  }

  /// Uses the photo's position after the person has accepted it. It counts as `manual` (decision 45).
  public func usePhotoPosition() {
    guard let photoPosition else { return }
    setLocation(photoPosition, as: .manual)
  }

  private func setLocation(_ point: Coordinate, as method: LocationCapture.CaptureMethod) {
    edit(.captured(point, method, locationContext))
    errors.removeAll { $0.field == .latitude || $0.field == .longitude }
    gpsHelper = "location.captured"
  }

  /// Dismisses the alert. This is its first button.
  public func permissionAlertCancelled() { isPermissionAlertShown = false }

  /// Dismisses the alert and opens the settings. This is its second button.
  public func goToSettingsTapped() {
    isPermissionAlertShown = false
    onOpenSettings?()
  }

  /// Validates all fields. Either completes the step, or shows the toast and an error beside each invalid field.
  @discardableResult
  public func continueTapped() -> FlowOutcome {
    errors = []
    toasts.hide()
    // The day on screen is the day that the person meant, even if midnight has passed since.
    let outcome = flowState.handle(
      .continued(.description, environment.context(shownDay: dayAtStart)))
    switch outcome {
    case .refused(let refused):
      errors = refused
      toasts.show(.correctFields)
    case .moved:
      environment.events.step3Completed(draft: flowState.draft.id)
      onContinue?()
    case .unchanged, .changed, .left: break
    }
    return outcome
  }

  /// Goes back. Inputs since the last Continue stay in the fields but aren't accepted yet.
  public func backTapped() {
    flowState.handle(.back)
    onBack?()
  }
}
