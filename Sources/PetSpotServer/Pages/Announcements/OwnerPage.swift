import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow
import Synchronization

/// The page on which an owner changes an announcement and its photo, closes it, or erases it. The announcement's code,
/// which the API calls the management password, grants access for 30 minutes. The browser that published the
/// announcement needs no code for as long as it can show that.
struct OwnerPage: Sendable {
  let stores: Stores
  let gates: Gates
  let limits: Limits
  let problemLog: ProblemLog
  let watch: StoreWatch

  static func path(_ id: String) -> String { "/announcements/\(id)/owner" }

  /// `GET /announcements/{id}/owner`. Asks for confirmation with `?erase=1` or `?close=1`.
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let id = try context.announcementID
    if let owner = try await OwnerCookie.owner(context, id: id, in: stores) {
      return try await page(context, owner)
    }
    if let owner = try await publisher(context, id) {
      var response = try await page(context, owner)
      let line = try await OwnerCookie.line(owner, context, in: stores)
      response.headers.append(HTTPField(name: .setCookie, value: line))
      return response
    }
    let reason = try await RefusedForm(context, id: id, in: stores)?.refusal.reason
    let isMissing = reason == "announcement.codeMissing"
    let words = PageRenderer(context).words
    return entrance(
      context, id, problem: isMissing ? words("announcement.codeMissing") : nil, .ok)
  }

  /// Returns the page, or the question whether to erase or close the announcement.
  private func page(_ context: RequestContext, _ owner: AnnouncementOwner) async throws -> Response
  {
    let id = owner.id
    let query = try context.query()
    let renderer = PageRenderer(context)
    if query["erase"] != nil {
      return renderer.page(
        "owner-erase", QuestionView(id: id), PageHead(renderer.words("owner.erase"), isSecret: true)
      )
    }
    if query["close"] != nil {
      let announcement = try await stores.announcements.announcement(id: id)
      let view = QuestionView(id: id, announcement, in: renderer.words)
      return renderer.page("owner-close", view, PageHead(view.title, isSecret: true))
    }
    let done = query["done"].flatMap(Self.done)
    let refused = try await RefusedForm(context, id: id, in: stores)
    do {
      let report = try await stores.announcements.report(owner)
      return await page(context, id, OwnerForm(report), refused, done: done)
    } catch let error as AnnouncementError {
      // Others no longer see the announcement, but the owner can still erase it.
      let gone: Gone
      switch error {
      case .closed: gone = Gone(text: "owner.closed", canReopen: owner.canReopen(at: Date()))
      case .takenDown: gone = Gone(text: "announcement.takenDown", canReopen: false)
      default: throw error
      }
      return await page(context, id, nil, refused, gone: gone)
    }
  }

  /// `POST /announcements/{id}/owner`: receives the code, or with `action=save` the changed fields, also in a form with
  /// a photo.
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let id = try context.announcementID
    if MultipartParser.isMultipart(context.header(.contentType) ?? "") {
      return try await withOwner(context) { try await savePhoto(context, $0) }
    }
    let posted = try await PostedForm.receive(context, within: limits)
    if posted["action"] == "save" {
      return try await withOwner(context) { try await save(context, posted, $0) }
    }
    let code = posted["code"].trimmingCharacters(in: .whitespacesAndNewlines)
    guard !code.isEmpty, code.utf8.count <= 1000 else {
      _ = try await stores.announcements.owner(id: id)
      let refused = RefusedForm(StepRefusal(reason: "announcement.codeMissing"))
      let line = try await refused.line(context, id: id, in: stores)
      return .see(Self.path(id), cookies: [line].compactMap { $0 })
    }
    do {
      let owner = try await stores.announcements.authorize(
        id: id, managementPassword: code, client: context.client.text)
      let cookie = try await OwnerCookie.line(owner, context, in: stores)
      return .see(Self.path(id), cookies: [cookie, RefusedForm.removal(context, id: id)])
    } catch {
      return try entrance(context, id, typed: code, after: error)
    }
  }

  /// `POST /announcements/{id}/owner/close`, with the reason in a field or in the query.
  @Sendable func close(_ context: RequestContext) async throws -> Response {
    try await withOwner(context) { owner in
      let posted = try await PostedForm.receive(context, within: limits)
      let reason = try posted.given("reason") ?? context.query()["reason"]
      _ = try await stores.announcements.close(owner, reason: reason.flatMap(ClosingReason.init))
      return .see(Self.path(owner.id), cookies: [RefusedForm.removal(context, id: owner.id)])
    }
  }

  /// `POST /announcements/{id}/owner/reopen`: opens the announcement for seven days.
  @Sendable func reopen(_ context: RequestContext) async throws -> Response {
    try await withOwner(context) { owner in
      _ = try await PostedForm.receive(context, within: limits)
      do { _ = try await stores.announcements.reopen(owner) } catch AnnouncementError
        .duplicateMicrochip
      {
        let refused = RefusedForm(StepRefusal(reason: "failure.duplicate-microchip"))
        let line = try await refused.line(context, id: owner.id, in: stores)
        return .see(Self.path(owner.id), cookies: [line].compactMap { $0 })
      }
      return .see(Self.path(owner.id) + "?done=reopened")
    }
  }

  /// `POST /announcements/{id}/owner/erase`
  @Sendable func erase(_ context: RequestContext) async throws -> Response {
    try await withOwner(context) { owner in
      _ = try await PostedForm.receive(context, within: limits)
      try await stores.announcements.erase(owner)
      return .see(
        "/announcements/" + owner.id, cookies: [OwnerCookie.removal(context, id: owner.id)])
    }
  }

  // MARK: - Saving

  /// Saves a form with a file, the photo first. If the texts are refused, the page shows them again, but no page can
  /// show a chosen file again.
  private func savePhoto(
    _ context: RequestContext, _ owner: AnnouncementOwner
  ) async throws -> Response {
    // A form without a photo is small, and can be saved even if the disk has no room for photos.
    let isLarge = (context.contentLength ?? .max) > UploadedForm.textBytes
    if isLarge { try await limits.checkRoom(forPhotoOf: context, in: gates) }
    let uploaded: UploadedForm
    do {
      uploaded = try await UploadedForm.receive(
        context, in: stores.spool, limit: limits.photoBytes)
    } catch let error as PhotoError {
      return try await refuse(context, owner, .photo(error), RefusedForm(StepRefusal()))
    }
    let posted = try uploaded.posted
    guard let source = uploaded.source else { return try await save(context, posted, owner) }
    let typed = RefusedForm(
      StepRefusal(typed: OwnerForm(posted).texts), seen: posted.given("seen"))
    do {
      if !isLarge { try await limits.checkRoom(forPhotoOf: context, in: gates) }
      try await stores.announcements(for: context).checkPhotoShare()
      _ = try await watch.endingIfUnreachable([.pictures]) {
        try await gates.decode(for: context.client) {
          try await stores.attach(source, to: owner, for: context.client, in: $0)
        }
      }
    } catch AnnouncementError.spaceUsedUp(let until) {
      let error = AnnouncementError.spaceUsedUp(until: until)
      let text = error.message(in: PageRenderer(context).words, now: Date())
      var response = try await page(context, owner, typed, problem: text, .tooManyRequests)
      response.headers[.retryAfter] = ErrorResponse(cause: error)?.headers[.retryAfter]
      return response
    } catch let error as ErrorResponse {
      guard let text = error.cause.problemText else { throw error }
      let words = PageRenderer(context).words
      return try await page(context, owner, typed, problem: words(text), error.status)
    } catch let error as PhotoError {
      return try await refuse(context, owner, .photo(error), typed)
    } catch let error as StoreError {
      return try await refuse(context, owner, error, typed)
    }
    return try await save(context, posted, owner, done: "photo")
  }

  /// Saves the texts.
  ///
  /// - Parameter done: the name of the change that was saved before. If the texts are refused, the page confirms it.
  private func save(
    _ context: RequestContext, _ posted: PostedForm, _ owner: AnnouncementOwner, done: String? = nil
  ) async throws -> Response {
    let form = OwnerForm(posted)
    var refused = RefusedForm(StepRefusal(typed: form.texts), seen: posted.given("seen"))
    switch form.change(taxonomy: await stores.species.taxonomy, now: Date()) {
    case .failure: return try await refuse(context, owner, refused, done: done)
    case .success(let change):
      do {
        let isStale = Mutex(false)
        try await stores.announcements(for: context).change(owner, client: context.client.text) {
          [seen = refused.seen] report in
          let isOther = seen != nil && seen != OwnerForm(report).entries.fingerprint
          isStale.withLock { $0 = isOther }
          if !isOther { change(&report) }
        }
        guard !isStale.withLock({ $0 }) else {
          return try await refuse(context, owner, refused, done: done)
        }
        return .see(
          Self.path(owner.id) + "?done=saved", cookies: [RefusedForm.removal(context, id: owner.id)]
        )
      } catch AnnouncementError.duplicateMicrochip {
        refused.refusal.reason = "failure.duplicate-microchip"
        let chip = ChipNumber.digits(form.texts[.chip] ?? "")
        refused.refusal.other = try await stores.announcements.id(ofListedChip: chip)
      } catch AnnouncementError.invalid(let fields) {
        refused.refusal.invalidFields = fields
      } catch AnnouncementError.throttled(let until) {
        return try entrance(context, owner.id, after: AnnouncementError.throttled(until: until))
      }
      return try await refuse(context, owner, refused, done: done)
    }
  }

  /// Redirects (303) to the page, which shows the refused form for a minute. If the form is too large for a cookie,
  /// returns the page with the form.
  private func refuse(
    _ context: RequestContext, _ owner: AnnouncementOwner, _ refused: RefusedForm,
    done: String? = nil
  ) async throws -> Response {
    if let line = try await refused.line(context, id: owner.id, in: stores) {
      return .see(Self.path(owner.id) + (done.map { "?done=" + $0 } ?? ""), cookies: [line])
    }
    let report = try await stores.announcements.report(owner)
    return await page(
      context, owner.id, OwnerForm(report), refused, done: done.flatMap(Self.done),
      status: .unprocessableContent)
  }

  /// Refuses a photo. If the server caused the failure, returns a page with the status of that failure.
  private func refuse(
    _ context: RequestContext, _ owner: AnnouncementOwner, _ failure: StoreError,
    _ typed: RefusedForm
  ) async throws -> Response {
    if case .photo(let error) = failure, error.blame == .photo {
      var refused = typed
      refused.refusal.photo = error
      return try await refuse(context, owner, refused)
    }
    problemLog.record(failure, or: "photo not attached", context.logger)
    let text = failure.pageText(in: PageRenderer(context).words)
    return try await page(context, owner, typed, problem: text, failure.pageStatus)
  }

  /// Returns the page with the reason why a photo wasn't stored.
  private func page(
    _ context: RequestContext, _ owner: AnnouncementOwner, _ typed: RefusedForm,
    problem text: String, _ status: HTTPResponse.Status
  ) async throws -> Response {
    let report = try await stores.announcements.report(owner)
    return await page(
      context, owner.id, OwnerForm(report), typed,
      problem: ErrorEntry(text: text, field: "photo"), status: status)
  }

  private static func done(_ text: String) -> TextKey? {
    [
      "saved": "owner.saved", "photo": "owner.photoReplaced", "reopened": "owner.reopened",
    ][text]
  }
}
