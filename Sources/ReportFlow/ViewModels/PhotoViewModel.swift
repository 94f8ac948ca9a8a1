import Announcements
public import Observation
public import PhotoAttachments
public import PhotoIngestion

/// What step 2 does with a picked file; the command line and the server use it to add their
/// decoders.
public struct PhotoIntake: Sendable {
  /// Makes the normalized photo, on a thread that may block.
  public var prepare: @Sendable (PhotoSource) throws(PhotoError) -> PreparedPhoto

  /// An intake of this function.
  public init(
    prepare: @escaping @Sendable (PhotoSource) throws(PhotoError) -> PreparedPhoto
  ) {
    self.prepare = prepare
  }

  /// The pipeline in this process.
  public static func pipeline(_ pipeline: PhotoPipeline) -> Self {
    Self { source throws(PhotoError) in try pipeline.prepare(source) }
  }
}

/// Step 2: the photo, which is mandatory (seed 028, `PhotoViewModel`). The cache has the
/// attachment's state machine; this model only shows it.
@MainActor @Observable
public final class PhotoViewModel {
  /// The language of the texts.
  public var words: Words
  /// What stands below the photo when there is none.
  public private(set) var helper: TextKey = "photo.helper"
  /// Why the last pick failed (`StoreError.code`), for surfaces that show it; nil when it did not.
  public private(set) var failure: StoreError?
  /// The message at the screen's edge.
  public let toasts: ToastPresenter
  /// Called when the step is done.
  @ObservationIgnored public var onContinue: (() -> Void)?
  /// Called when the step is left backwards.
  @ObservationIgnored public var onBack: (() -> Void)?

  private let flowState: ReportMissingPetFlowState
  private let environment: FlowEnvironment
  private let intake: PhotoIntake

  /// The step of this session.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment, intake: PhotoIntake,
    words: Words
  ) {
    (self.flowState, self.environment) = (flowState, environment)
    (self.intake, self.words) = (intake, words)
    toasts = ToastPresenter(clock: environment.clock)
  }

  /// Where the photo stands.
  public var status: PhotoAttachmentStatus { flowState.photoStatus }

  /// Whether Browse does nothing for now.
  public var isBrowseDisabled: Bool { status == .loading }

  /// A photo was picked. The one before stays until the new one is confirmed, and when the new one
  /// fails (decision 4); of several picks the last one counts.
  public func select(_ source: PhotoSource, assetIdentifier: String? = nil) async {
    let (photos, intake, draft) = (flowState.photos, intake, flowState.draft.id)
    (flowState.photoStatus, failure, helper) = (.loading, nil, "photo.loadingHelper")
    do throws(StoreError) {
      let photo = try await photos.save(
        draft: draft, of: .report, assetIdentifier: assetIdentifier
      ) {
        () throws(PhotoError) in try intake.prepare(source)
      }
      await show()
      guard flowState.photoAttachment?.id == photo.id else { return }
      toasts.hide()
      if let place = PhotoPlace(photo) { flowState.handle(.photoPlaced(place)) }
    } catch {
      // A later pick or a removal has taken over; the word is theirs.
      if ![.cancelled, .superseded, .removed].contains(error) { failure = error }
      await show()
    }
  }

  /// The person closed the picker without a choice; what was there stays.
  public func selectionCancelled() {
    if status == .empty { helper = "photo.cancelledHelper" }
  }

  /// Takes the photo away; nothing there is fine.
  public func removeTapped() async {
    let (photos, draft) = (flowState.photos, flowState.draft.id)
    do {
      try await photos.clear(draft: draft)
      failure = nil
    } catch {
      failure = error
    }
    await show()
  }

  /// Looks again where the photo stands, as after a restart.
  public func restore() async { await show() }

  /// Continue: with a photo whose blob is there the step is done, else the toast says that one is
  /// needed, anew with every tap (decision 8).
  @discardableResult
  public func continueTapped() async -> FlowOutcome {
    await show()
    let (photos, draft) = (flowState.photos, flowState.draft.id)
    let isValid = (try? await photos.canContinue(draft: draft)) ?? false
    let outcome = flowState.handle(
      .continued(.photo, environment.facts(photoIsValid: isValid)))
    switch outcome {
    case .refused: toasts.show(.photoIsMandatory)
    case .moved: onContinue?()
    case .unchanged, .changed, .left: break
    }
    return outcome
  }

  /// Back to step 1; the photo stays.
  public func backTapped() {
    flowState.handle(.back)
    onBack?()
  }

  private func show() async {
    do {
      let status = try await flowState.refreshPhoto()
      if status != .loading { helper = "photo.helper" }
    } catch {
      failure = error as? StoreError
    }
  }
}

/// The card that shows a confirmed photo (seed 028).
public struct PhotoConfirmationCard: Sendable, Equatable {
  /// The original's name.
  public let fileName: String
  /// The original's size, `1.4 MB`.
  public let sizeText: String
  /// The upright size, `3024 × 4032 pixels`.
  public let dimensionsText: String
  /// The preview's path below the cache folder.
  public let previewPath: String

  /// The card of a photo.
  package init(_ photo: PhotoAttachmentMetadata, in words: Words) {
    fileName = photo.fileName
    sizeText = words.fileSize(photo.fileSizeBytes)
    dimensionsText = words(
      "photo.dimensions",
      ["width": String(photo.pixelWidth), "height": String(photo.pixelHeight)])
    previewPath = photo.preview.path
  }
}

extension PhotoViewModel {
  /// The card; nil while there is no confirmed photo.
  public var confirmationCard: PhotoConfirmationCard? {
    flowState.photoAttachment.map { PhotoConfirmationCard($0, in: words) }
  }

  /// What stands below the photo.
  public var helperText: String { words(helper) }

  /// The names of the screen's parts in tests (seed 028, FR-009).
  public enum AccessibilityID: String, Sendable, CaseIterable {
    case browse = "animalPhoto.browse"
    case remove = "animalPhoto.remove"
    case `continue` = "animalPhoto.continue"
    case toast = "animalPhoto.toast"
    case confirmationCard = "animalPhoto.confirmationCard"
  }
}
