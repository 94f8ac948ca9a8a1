public import Announcements
public import Observation

/// Step 3: what the animal is like (seeds 021, 031 and 046). Everything is saved as it is typed and
/// accepted by Continue; the rules are `DescriptionRules`.
@MainActor @Observable
public final class AnimalDescriptionViewModel {
  /// The language of the texts.
  public var words: Words
  /// The species to choose from.
  public var taxonomy: SpeciesTaxonomy
  /// Whether the list could not be refreshed, so that "Using offline list" is shown.
  public var isTaxonomyOffline = false
  /// What is wrong, field by field, since the last Continue.
  public private(set) var errors: [ValidationError] = []
  /// How the last capture of a position went.
  public private(set) var gpsHelper: TextKey?
  /// Whether the alert about a refused permission is shown.
  public var isPermissionAlertShown = false
  /// The position in the attached photo; offered, never taken by itself (decision 17).
  public var photoPosition: Coordinate? { flowState.photoPosition }
  /// The message at the screen's edge.
  public let toasts: ToastPresenter
  /// Called when the step is done.
  @ObservationIgnored public var onContinue: (() -> Void)?
  /// Called when the step is left backwards.
  @ObservationIgnored public var onBack: (() -> Void)?
  /// Called when the person wants to change the permission.
  @ObservationIgnored public var onOpenSettings: (() -> Void)?

  let flowState: ReportMissingPetFlowState
  private let environment: FlowEnvironment
  /// The default day is the one on which the screen came up.
  private let dayAtStart: CalendarDay
  private var authorization = LocationAuthorization.notDetermined

  /// The step of this session.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment, words: Words,
    taxonomy: SpeciesTaxonomy = .bundled
  ) {
    (self.flowState, self.environment) = (flowState, environment)
    (self.words, self.taxonomy) = (words, taxonomy)
    dayAtStart = environment.today
    toasts = ToastPresenter(clock: environment.clock)
  }

  /// Asks for a newer list of species, also when the person tries again. Without one the list at hand
  /// goes on serving, and the screen says so (seed 021, FR-014).
  public func refreshTaxonomy() async {
    guard let source = environment.taxonomy else { return }
    await source.refresh()
    (taxonomy, isTaxonomyOffline) = (await source.taxonomy, await source.isOffline)
  }

  private var input: DescriptionInput { flowState.draft.descriptionInput }

  @discardableResult
  private func edit(_ change: FlowEdit) -> FlowOutcome { flowState.handle(.edited(change)) }

  /// What is typed in a field; what it can't hold is left out.
  public subscript(field: FormField) -> String {
    get { input[field] }
    set { edit(.typed(field, newValue)) }
  }

  /// The day of the disappearance; a future day is refused with an error, and the prior one stays.
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

  /// The species; another one clears the race and the errors of both.
  public var selectedSpecies: SpeciesTaxonomyOption? {
    get { input.species }
    set {
      edit(.species(newValue))
      errors.removeAll { $0.field == .species || $0.field == .race }
    }
  }

  /// The race as typed; ignored until there is a species.
  public var race: String {
    get { self[.race] }
    set {
      self[.race] = newValue
      if !newValue.isEmpty { errors.removeAll { $0.field == .race } }
    }
  }

  /// Races to suggest for what is typed.
  public var raceSuggestions: [String] { input.species?.suggestions(for: race, in: words) ?? [] }

  /// The gender; choosing one clears its error.
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

  /// The additional description; what exceeds 500 characters is ignored.
  public var additionalDescription: String {
    get { self[.description] }
    set { self[.description] = newValue }
  }

  private var locationContext: LocationContext {
    LocationContext(now: environment.now(), authorization: authorization)
  }

  /// Asks for the position once and fills both fields; a refused permission shows the alert, on
  /// every attempt.
  public func requestGPSPosition() async {
    gpsHelper = nil
    let handler = LocationPermissionHandler(environment.location)
    let result = await handler.requestLocationWithPermissions()
    authorization = result.authorization
    if let point = result.location {
      take(point, as: environment.location.isDevice ? .gps : .manual)
    } else if result.authorization.isRefused {
      isPermissionAlertShown = true
    } else {
      gpsHelper = "location.failed"
    }
  }

  /// Takes the photo's position, which the person accepted; it counts as `manual` (decision 45).
  public func usePhotoPosition() {
    guard let photoPosition else { return }
    take(photoPosition, as: .manual)
  }

  private func take(_ point: Coordinate, as method: LocationCapture.CaptureMethod) {
    edit(.captured(point, method, locationContext))
    errors.removeAll { $0.field == .latitude || $0.field == .longitude }
    gpsHelper = "location.captured"
  }

  /// The alert's first button.
  public func permissionAlertCancelled() { isPermissionAlertShown = false }

  /// The alert's second button.
  public func goToSettingsTapped() {
    isPermissionAlertShown = false
    onOpenSettings?()
  }

  /// Continue: checks everything at once; either the step is done, or every error stands beside its
  /// field and the toast is shown.
  @discardableResult
  public func continueTapped() -> FlowOutcome {
    errors = []
    toasts.hide()
    // The day that was shown is the day that was meant, also when midnight has passed since.
    let outcome = flowState.handle(
      .continued(.description, environment.facts(shownDay: dayAtStart)))
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

  /// Goes back: what was typed since the last Continue stays in the fields, but is not accepted yet.
  public func backTapped() {
    flowState.handle(.back)
    onBack?()
  }
}
