import Announcements
import Foundation
import PhotoAttachments
import ReportFlow
import Synchronization
import TestReports
import Testing

@testable import ReportFlowViewModels
import PhotoIngestion

@MainActor @Suite struct PhotoViewModelTests {
  let cache: TestCache
  let clock = ManualClock()
  let flow: ReportMissingPetFlowState
  let model: PhotoViewModel

  init() throws {
    cache = try TestCache()
    flow = try cache.flow()
    model = PhotoViewModel(
      flowState: flow, environment: try .test(clock: clock, cache: cache),
      intake: .pipeline(PhotoPipeline(decoding: .inProcess)), language: .en)
    flow.handle(
      .continued(.chip, FlowContext(today: day("2025-11-20"), now: Date(timeIntervalSince1970: 0))))
  }

  private var blobs: [String] {
    let folder = cache.url.appending(path: "blobs").path
    return (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
      .filter { $0.contains(".") }.sorted()
  }

  @Test func aPickIsConfirmedAndShownOnTheCard() async throws {
    #expect(model.status == .empty && model.confirmationCard == nil)
    #expect(model.helperText == "Add a photo of the missing pet.")
    await model.select(testImage("orientation-6.webp"))
    let photo = try #require(flow.photoAttachment)
    #expect(model.status == .confirmed(metadata: photo))
    #expect(photo.pixelWidth == 64 && photo.pixelHeight == 48 && photo.source.orientation == 6)
    #expect(photo.uti == "org.webmproject.webp" && photo.fileSizeBytes > 0)
    #expect(FileManager.default.fileExists(atPath: photo.cachedURL.path))
    #expect(photo.fileName == "orientation-6.webp" && photo.assetIdentifier == nil)
    #expect(try cache.reopened().photoAttachment == photo)  // its ID and time are kept, too
    let card = try #require(model.confirmationCard)
    #expect(card.fileName == "orientation-6.webp")
    #expect(card.sizeText == english.fileSize(photo.fileSizeBytes))
    #expect(card.dimensionsText == "64 × 48 pixels")
    #expect(!model.isBrowseDisabled && model.failure == nil)
  }

  @Test func continueWithAPhotoGoesOn() async {
    var calls = 0
    model.onContinue = { calls += 1 }
    await model.select(testImage("one-pixel.gif"))
    #expect(await model.continueTapped() == .moved(to: .description))
    #expect(calls == 1 && model.toasts.toast == nil)
  }

  @Test func continueWithoutAPhotoShowsTheToastAnewWithEveryTap() async {
    #expect(model.status == .empty)
    model.onContinue = { Issue.record("must not go on") }
    #expect(await model.continueTapped() == .refused([.missingPhoto]))
    #expect(model.toasts.toast == .photoIsMandatory)
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    await model.continueTapped()
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    #expect(model.toasts.toast == .photoIsMandatory && clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    await model.toasts.settled()
    #expect(model.toasts.toast == nil)
  }

  @Test func aConfirmationTakesTheToastAway() async {
    await model.continueTapped()
    await model.select(testImage("one-pixel.gif"))
    #expect(model.toasts.toast == nil)
  }

  @Test func removalEmptiesAndContinueIsRefusedAgain() async {
    await model.select(testImage("one-pixel.gif"))
    await model.continueTapped()
    await model.removeTapped()
    #expect(model.status == .empty && flow.photoAttachment == nil && blobs.isEmpty)
    #expect(await model.continueTapped() == .refused([.missingPhoto]))
    #expect(flow.draft.missingSteps.contains(.photo))
    await model.removeTapped()
    #expect(model.status == .empty && model.failure == nil)
  }

  @Test(arguments: [
    ("foreign.tiff", "unsupported-format"), ("empty.jpg", "empty"), ("cut-732.jpg", "corrupt"),
    ("no-such-file.jpg", "unreadable"),
  ])
  func aFailedFirstPickEndsEmpty(file: String, code: String) async {
    await model.select(testImage(file))
    #expect(model.status == .empty && flow.photoAttachment == nil)
    #expect(model.failure?.code == code)
    #expect(model.helperText == "Add a photo of the missing pet.")
    #expect(blobs.isEmpty)
  }

  @Test func aRetryAfterAFailedFirstPickLoadsAgain() async throws {
    let (gate, opened) = (AsyncGate(), DispatchSemaphore(value: 0))
    let slow = try slowModel(gate, until: opened)
    await model.select(testImage("foreign.tiff"))
    #expect(model.status == .empty && model.failure != nil)
    async let retry: Void = slow.select(testImage("one-pixel.gif"))
    await gate.wait()
    #expect(model.status == .loading)
    opened.signal()
    await retry
    #expect(flow.photoAttachment?.fileName == "one-pixel.gif")
  }

  @Test func afterLeavingTheFlowTheStepIsEmpty() async throws {
    await model.select(testImage("one-pixel.gif"))
    try await flow.clear()
    #expect(model.status == .empty && blobs.isEmpty)
  }

  /// An invalid new photo doesn't cost the good earlier one (decision 4, lesson P3).
  @Test func aFailedReplacementKeepsTheLastGoodPhoto() async {
    await model.select(testImage("one-pixel.gif"))
    let (good, stored) = (model.status, blobs)
    await model.select(testImage("foreign.tiff"))
    #expect(model.status == good && blobs == stored && model.failure?.code == "unsupported-format")
    #expect(await model.continueTapped() == .moved(to: .description))
  }

  /// Replacing a photo leaves nothing of the old one (lesson P1).
  @Test func aReplacementGivesUpTheOldBlob() async throws {
    await model.select(testImage("one-pixel.gif"))
    let old = try #require(flow.photoAttachment?.cachedURL.path)
    await model.select(testImage("lossless.webp"))
    #expect(flow.photoAttachment?.fileName == "lossless.webp")
    #expect(!FileManager.default.fileExists(atPath: old) && blobs.count == 1)
  }

  @Test func cancellingThePickerKeepsWhatWasThere() async {
    model.selectionCancelled()
    #expect(model.helperText.hasPrefix("Choose a photo to continue"))
    await model.select(testImage("one-pixel.gif"))
    let confirmed = model.status
    model.selectionCancelled()
    #expect(model.status == confirmed)
  }

  /// Returns a model that opens the gate as it begins to read, and waits before it reads.
  private func slowModel(_ gate: AsyncGate, until opened: DispatchSemaphore) throws
    -> PhotoViewModel
  {
    PhotoViewModel(
      flowState: flow, environment: try .test(cache: cache),
      intake: PhotoIntake { source throws(PhotoError) in
        gate.open()
        opened.wait()
        return try PhotoPipeline(decoding: .inProcess).prepare(source)
      }, language: .en)
  }

  /// A slow pick that a faster one has overtaken changes nothing when it ends (decision 5).
  @Test func theLateResultOfAnEarlierPickChangesNothing() async throws {
    let (gate, opened) = (AsyncGate(), DispatchSemaphore(value: 0))
    let slow = try slowModel(gate, until: opened)
    async let first: Void = slow.select(testImage("one-pixel.gif"))
    await gate.wait()
    #expect(model.status == .loading && model.isBrowseDisabled)
    #expect(await model.continueTapped() == .refused([.missingPhoto]))
    async let second: Void = model.select(testImage("lossless.webp"))
    opened.signal()
    _ = await (first, second)
    #expect(flow.photoAttachment?.fileName == "lossless.webp")
    #expect(slow.failure == nil && blobs.count == 1)
  }

  @Test func removalDuringLoadingStaysRemoved() async throws {
    let (gate, opened) = (AsyncGate(), DispatchSemaphore(value: 0))
    let slow = try slowModel(gate, until: opened)
    async let pick: Void = slow.select(testImage("one-pixel.gif"))
    await gate.wait()
    async let removal: Void = model.removeTapped()
    while await (try? cache.photos.status(draft: "default")) == .loading { await Task.yield() }
    opened.signal()
    _ = await (pick, removal)
    #expect(model.status == .empty)
    #expect(try cache.reopened().photoStatus == .empty)
  }

  @Test func aRestartRestoresTheCardAndALostBlobDoesNot() async throws {
    await model.select(testImage("one-pixel.gif"))
    let photo = try #require(flow.photoAttachment)
    #expect(try cache.reopened().photoStatus == .confirmed(metadata: photo))
    try FileManager.default.removeItem(at: photo.cachedURL)
    #expect(try cache.reopened().photoStatus == .empty)
    // Continue checks the photo again, too (lesson P10).
    #expect(await model.continueTapped() == .refused([.missingPhoto]))
    await model.restore()
    #expect(model.status == .empty)
  }

  @Test func thePhotosPositionIsKeptAsLongAsThePhoto() async throws {
    await model.select(testImage("gps-exif.jpg"))
    let place = try #require(flow.photoPosition)
    #expect(abs(place.latitude - 52.2297) < 0.001 && abs(place.longitude - 21.0117) < 0.001)
    #expect(flow.draft.descriptionInput[.latitude] == "" && flow.location == nil)
    #expect(try cache.reopened().photoPosition == place)
    // An unusable photo leaves the previous one and its position.
    await model.select(testImage("foreign.tiff"))
    #expect(flow.photoPosition == place)
    await model.select(testImage("one-pixel.gif"))
    #expect(flow.photoPosition == nil && flow.draft.photoPlace == nil)
    #expect(try cache.reopened().draft.photoPlace == nil)
    await model.select(testImage("gps-exif.jpg"))
    #expect(flow.photoPosition == place)
    await model.removeTapped()
    #expect(try cache.reopened().draft.photoPlace == nil)
  }

  @Test func theSeedsIdentifiers() {
    #expect(
      PhotoViewModel.AccessibilityID.allCases.map(\.rawValue) == [
        "animalPhoto.browse", "animalPhoto.remove", "animalPhoto.continue", "animalPhoto.toast",
        "animalPhoto.confirmationCard",
      ])
  }
}

/// A gate that lets one task wait until the code elsewhere opens it.
final class AsyncGate: Sendable {
  private let (stream, continuation) = AsyncStream<Void>.makeStream()
  func open() { continuation.finish() }
  func wait() async { for await _ in stream {} }
}
