import Announcements
public import Observation
import PhotoAttachments
public import PhotoIngestion
public import PhotoModel
public import ReportFlow

/// The conversion of a picked file in step 2. The host supplies the function, which may decode in another process.
public struct PhotoIntake: Sendable {
  /// Returns the normalized photo. Runs on a thread that may block.
  public var prepare: @Sendable (PhotoSource) throws(PhotoError) -> PreparedPhoto

  /// Creates an intake with this function.
  public init(
    prepare: @escaping @Sendable (PhotoSource) throws(PhotoError) -> PreparedPhoto
  ) {
    self.prepare = prepare
  }

  /// Creates an intake that uses a pipeline.
  public static func pipeline(_ pipeline: PhotoPipeline) -> Self {
    Self { source throws(PhotoError) in try pipeline.prepare(source) }
  }
}

/// The model of step 2, the mandatory photo (seed 028, `PhotoViewModel`). The attachment's state machine is in the
/// cache, and this model only displays it.
@MainActor @Observable
public final class PhotoViewModel {
  /// The language of the texts.
  public var language: Language
  package var words: Words { Words(language) }
  /// The text below an empty photo.
  package private(set) var helper: TextKey = "photo.helper"
  /// The error of the last pick or removal, or of reading the status, for surfaces that show it. `nil` if there was
  /// none.
  public private(set) var failure: StoreError?
  /// The presenter of the short messages at the edge of the screen.
  public let toasts: ToastPresenter
  /// Runs when the step is complete.
  @ObservationIgnored public var onContinue: (() -> Void)?
  /// Runs when the person goes back.
  @ObservationIgnored public var onBack: (() -> Void)?

  private let flowState: ReportMissingPetFlowState
  private let environment: FlowEnvironment
  private let intake: PhotoIntake

  /// Creates the model of this session's step.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment, intake: PhotoIntake,
    language: Language
  ) {
    self.flowState = flowState
    self.environment = environment
    self.intake = intake
    self.language = language
    toasts = ToastPresenter(clock: environment.clock)
  }

  /// The status of the photo.
  public var status: PhotoAttachmentStatus { flowState.photoStatus }

  /// `true` while the Browse button has no effect.
  public var isBrowseDisabled: Bool { status == .loading }

  /// Attaches a picked photo. The previous photo stays until the new one is confirmed, and also if the new one fails
  /// (decision 4). If several photos are picked, the last one wins.
  public func select(_ source: PhotoSource, assetIdentifier: String? = nil) async {
    let photos = flowState.photos
    let intake = intake
    let draft = flowState.draft.id
    flowState.photoStatus = .loading
    failure = nil
    helper = "photo.loadingHelper"
    do throws(StoreError) {
      let photo = try await photos.save(
        draft: draft, of: .report, assetIdentifier: assetIdentifier
      ) {
        () throws(PhotoError) in try intake.prepare(source)
      }
      await refreshStatus()
      guard flowState.photoAttachment?.id == photo.id else { return }
      toasts.hide()
      if let place = PhotoPlace(photo) { flowState.handle(.photoPlaced(place)) }
    } catch {
      // A later pick or a removal superseded this one and reports its own result.
      if ![.cancelled, .superseded, .removed].contains(error) { failure = error }
      await refreshStatus()
    }
  }

  /// Handles a picker that was closed without a choice. The current photo stays.
  public func selectionCancelled() {
    if status == .empty { helper = "photo.cancelledHelper" }
  }

  /// Removes the photo. Succeeds if there is no photo.
  public func removeTapped() async {
    let photos = flowState.photos
    let draft = flowState.draft.id
    do {
      try await photos.remove(draft: draft)
      failure = nil
    } catch {
      failure = error
    }
    await refreshStatus()
  }

  /// Reloads the status of the photo, for example after a restart.
  public func restore() async { await refreshStatus() }

  /// Completes the step if there is a photo with an intact blob. Otherwise shows the toast about the mandatory photo,
  /// again with every tap (decision 8).
  @discardableResult
  public func continueTapped() async -> FlowOutcome {
    await refreshStatus()
    let photos = flowState.photos
    let draft = flowState.draft.id
    let isValid = (try? await photos.canContinue(draft: draft)) ?? false
    let outcome = flowState.handle(
      .continued(.photo, environment.context(photoIsValid: isValid)))
    switch outcome {
    case .refused: toasts.show(.photoIsMandatory)
    case .moved: onContinue?()
    case .unchanged, .changed, .left: break
    }
    return outcome
  }

  /// Goes back to step 1 and keeps the photo.
  public func backTapped() {
    flowState.handle(.back)
    onBack?()
  }

  private func refreshStatus() async {
    do {
      let status = try await flowState.refreshPhoto()
      if status != .loading { helper = "photo.helper" }
    } catch {
      failure = error as? StoreError
    }
  }
}

extension PhotoViewModel {
  /// The card of the photo, or `nil` until it's confirmed.
  public var confirmationCard: PhotoConfirmationCard? {
    flowState.photoAttachment.map { PhotoConfirmationCard($0, in: words) }
  }

  /// The text below the photo.
  public var helperText: String { words(helper) }

  /// The identifiers of the screen's parts in tests (seed 028, FR-009).
  public enum AccessibilityID: String, Sendable, CaseIterable {
    case browse = "animalPhoto.browse"
    case remove = "animalPhoto.remove"
    case `continue` = "animalPhoto.continue"
    case toast = "animalPhoto.toast"
    case confirmationCard = "animalPhoto.confirmationCard"
  }
}
