import ImageContainers
import Logging
import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow

/// Step 2: the photo, which is mandatory (seed 028).
struct PhotoPage: Sendable {
  let stores: Stores
  let gates: Gates
  let limits: Limits
  let feed: PhotoStatusFeed
  let pictures: PictureResponder
  let problemLog: ProblemLog

  /// `GET /report/photo`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    if let published = try await visit.seePublished() { return published }
    return try await page(visit)
  }

  /// `POST /report/photo`: the Continue button sends the file, if one was chosen, and leads to the next step. The file
  /// is optional if the draft already has a photo.
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    if let published = try await visit.seePublished() { return published }
    guard MultipartParser.isMultipart(context.header(.contentType) ?? "") else {
      return try await finish(visit, try await PostedForm.receive(context, within: limits), nil)
    }
    try await limits.checkRoom(forPhotoOf: context, in: gates)
    let uploaded: UploadedForm
    do {
      uploaded = try await UploadedForm.receive(
        context, in: stores.spool, limit: limits.photoBytes)
    } catch let error as PhotoError {
      return try await finish(visit, PostedForm([:]), StoreError(error))
    } catch {
      guard ErrorResponse(cause: error)?.cause == .tooLarge else { throw error }
      let limit = limits.photoBytes
      let size = context.contentLength ?? limit + 1
      return try await finish(
        visit, PostedForm([:]),
        .photo(.tooLarge(.fileBytes, actual: size, limit: limit)))
    }
    let form = try uploaded.posted
    var failure: StoreError?
    if let source = uploaded.source {
      do {
        try await gates.decode(for: context.client) {
          try await attach(source, draft: visit.cookie.draft, context, in: $0)
        }
      } catch let error as StoreError {
        failure = error
      }
    }
    return try await finish(visit, form, failure)
  }

  /// `POST /report/photo/remove`
  @Sendable func remove(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    if let published = try await visit.seePublished() { return published }
    try await stores.photos.remove(draft: visit.cookie.draft)
    await keepPlace(nil, of: visit.cookie.draft, context)
    return visit.see(FlowStep.photo.path)
  }

  /// Returns the owner of a resumable upload, which is the browser's draft. The first upload may create the draft.
  @Sendable func uploadOwner(_ context: RequestContext) async throws -> UploadOwner {
    guard let draft = try await DraftCookie.draft(of: context, in: stores) else {
      throw ErrorResponse.notFound
    }
    if try await stores.drafts.isSubmitted(draft) { throw ErrorResponse.notFound }
    var owner = UploadOwner(
      name: Upload.owner(draft: draft),
      admit: { try await admission(context).admitPhoto(of: $0, draft: draft, context) },
      attach: { source in
        try await gates.decode(for: context.client) {
          try await attach(source, draft: draft, context, in: $0)
        }
      },
      stored: { try await stores.photos.load(draft: draft) },
      confirmed: {
        var answer = try await feed.streamStatus(context)
        answer.status = .created
        if let photo = try await stores.photos.load(draft: draft) { answer.state(photo) }
        return answer
      })
    let words = PageRenderer(context).words
    owner.language = words.language.rawValue
    owner.describe = { $0.message(in: words) }
    return owner
  }

  private func admission(_ context: RequestContext) -> DraftAdmission {
    DraftAdmission(stores, limits, context.logger)
  }

  /// Attaches a photo to a browser's draft if there is room for it.
  private func attach(
    _ source: PhotoSource, draft: String, _ context: RequestContext,
    in turns: DecoderTurns
  ) async throws {
    try await admission(context).admitPhoto(of: source.byteCount, draft: draft, context)
    let photo = try await stores.photos.save(
      draft: draft, of: .report, preparing: { try await stores.photos.prepare(source, in: turns) })
    await keepPlace(photo, of: draft, context)
    // The stored photo may be larger than the file that was sent. It stays, even if the client's share is exceeded.
    do { try await admission(context).makeRoom(draft: draft, of: context.client) } catch {
      context.logger.notice("share exceeded", metadata: ["client": "\(context.client.text)"])
    }
  }

  /// `GET /report/photo/preview`: the picture of the browser's own draft. Other browsers have no access.
  @Sendable func preview(_ context: RequestContext) async throws -> Response {
    guard let draft = try await DraftCookie.draft(of: context, in: stores),
      let photo = try await stores.photos.load(draft: draft)
    else { throw ErrorResponse.notFound }
    // Previews aren't animated.
    let picture = photo.blob.frameCount > 1 ? photo.blob : photo.preview
    return try await pictures.picture(picture, context, caching: "private, no-store")
  }

  /// Stores where the draft's photo was taken. `nil` removes the position.
  private func keepPlace(
    _ photo: AttachedPhoto?, of draft: String, _ context: RequestContext
  ) async {
    await DraftSession.keepPlace(
      of: photo, draft: draft, store: stores.drafts, photos: stores.photos, logger: context.logger)
  }

  private func finish(
    _ visit: StepVisit, _ form: PostedForm, _ failure: StoreError?
  ) async throws -> Response {
    let action = form.action
    if action == .again("remove") {
      try await stores.photos.remove(draft: visit.cookie.draft)
      await keepPlace(nil, of: visit.cookie.draft, visit.context)
      return visit.see(FlowStep.photo.path)
    }
    // A later attempt or a removal has replaced this attempt, so its failure doesn't matter.
    let isOver = failure.map { [.cancelled, .superseded, .removed].contains($0) } ?? false
    if let failure, !isOver, action == .next {
      if case .photo(let error) = failure, error.blame == .photo {
        return try await visit.refuse(.photo, StepRefusal(photo: error))
      }
      // The photo isn't to blame, so a file or store of this server is.
      problemLog.record(failure, or: "photo not attached", visit.context.logger)
      return try await page(visit, failure)
    }
    let isValid = try await stores.photos.canContinue(draft: visit.cookie.draft)
    let outcome = try await visit.applyForm(
      form, of: .photo, context: .now(photoIsValid: isValid))
    return await visit.answer(outcome, of: .photo)
  }

  /// Returns the text above the photo. `nil` if the photo or a problem replaces it.
  private static func helper(_ status: PhotoAttachmentStatus, hasProblem: Bool) -> TextKey? {
    switch status {
    case .empty: "photo.helper"
    case .loading: hasProblem ? nil : "photo.loadingHelper"
    case .confirmed: nil
    }
  }

  /// Returns the page, with the reason why the last photo was refused.
  ///
  /// - Parameter failure: the server's failure that has just prevented a photo from being attached.
  private func page(_ visit: StepVisit, _ failure: StoreError? = nil) async throws -> Response {
    let id = visit.cookie.draft
    let draft = await visit.session.draft
    let words = visit.words
    let snapshot = try await stores.photos.snapshot(draft: id)
    let isValid = try await stores.photos.canContinue(draft: id)
    let refused = failure?.pageText(in: words) ?? draft.refusals[.photo]?.photo?.message(in: words)
    let problems = refused.map { [ErrorEntry(text: $0, field: "photo")] } ?? []
    let state = StepState(
      draft, .photo, .now(photoIsValid: isValid || refused != nil), problems: problems)
    let problem = refused ?? state.errors.first?.message(in: words)
    let answer = PhotoStatusResponse(snapshot.status, failure: snapshot.failure, in: words)
    let limit = limits.photoBytes
    let view = PhotoView(
      status: answer.status, isLoading: snapshot.status == .loading, card: answer.photo?.card,
      problem: problem ?? (snapshot.status == .empty ? answer.message : nil),
      helper: Self.helper(snapshot.status, hasProblem: problem != nil).map { words($0) },
      types: words("photo.tileTypes") + " · "
        + words("photo.limit", ["size": words.limit(limit)]),
      limit: limit, browse: words(answer.photo == nil ? "photo.browse" : "photo.replace"),
      errorPrefix: words("page.errorTitle", ["title": ""]),
      tooLarge: words("photo.tooLarge", ["limit": words.limit(limit)]))
    return await visit.page(
      .photo, intro: nil, testID: "animalPhoto.continue",
      toastID: "animalPhoto.toast", toast: "photo.mandatory", state, status: failure?.pageStatus,
      fields: [], own: view)
  }
}
