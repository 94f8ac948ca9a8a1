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

/// The page on which an owner changes an announcement, replaces its photo, closes it, or erases it. The announcement's
/// code, which the API calls the management password, grants access for 30 minutes.
struct OwnerPage: Sendable {
  let stores: Stores
  let gates: Gates
  let limits: Limits
  let problemLog: ProblemLog

  /// `GET /announcements/{id}/owner`. Asks for confirmation with `?erase=1` or `?close=1`.
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let (id, query) = (try context.announcementID, try context.query())
    guard let owner = try await OwnerCookie.owner(context, id: id, in: stores) else {
      let words = PageRenderer(context).words
      let reason = try await RefusedForm(context, id: id, in: stores)?.refusal.reason
      let isMissing = reason == "announcement.codeMissing"
      return entrance(
        context, id, problem: isMissing ? words("announcement.codeMissing") : nil, .ok)
    }
    let renderer = PageRenderer(context)
    if query["erase"] != nil {
      return renderer.page(
        "owner-erase", QuestionView(id: id), PageHead(renderer.words("owner.erase"), isSecret: true)
      )
    }
    if query["close"] != nil {
      return renderer.page(
        "owner-close", QuestionView(id: id),
        PageHead(renderer.words("announcement.closeHeading"), isSecret: true))
    }
    do {
      let report = try await stores.announcements.report(owner)
      if let done = query["done"].flatMap(Self.done) {
        return await page(context, id, OwnerForm(report), done: done)
      }
      return await page(
        context, id, OwnerForm(report), try await RefusedForm(context, id: id, in: stores))
    } catch let error as AnnouncementError {
      // Others no longer see the announcement, but the owner can still erase it.
      let gone: Gone
      switch error {
      case .closed: gone = Gone(text: "owner.closed", canReopen: owner.canReopen(at: Date()))
      case .takenDown: gone = Gone(text: "announcement.takenDown", canReopen: false)
      default: throw error
      }
      let refused = try await RefusedForm(context, id: id, in: stores)
      return await page(context, id, nil, refused, gone: gone)
    }
  }

  /// `POST /announcements/{id}/owner`: receives the code, or with `action=save` the changed fields.
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let id = try context.announcementID
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
      return try entrance(context, id, after: error)
    }
  }

  /// `POST /announcements/{id}/owner/photo`: receives a form with a file.
  @Sendable func replacePhoto(_ context: RequestContext) async throws -> Response {
    try await withOwner(context) { owner in
      let words = PageRenderer(context).words
      do {
        try await limits.checkRoom(forPhotoOf: context, in: gates)
        try await stores.announcements(for: context).checkPhotoShare()
        let form = try await UploadedForm.receive(
          context, in: stores.spool, limit: limits.photoBytes)
        guard let source = form.source else {
          return try await refuse(
            context, owner, RefusedForm(StepRefusal(reason: "photo.mandatory")))
        }
        _ = try await gates.decode(for: context.client) {
          try await stores.attach(source, to: owner, for: context.client, in: $0)
        }
        return .see(
          Self.path(owner.id) + "?done=photo", cookies: [RefusedForm.removal(context, id: owner.id)]
        )
      } catch AnnouncementError.spaceUsedUp(let until) {
        let error = AnnouncementError.spaceUsedUp(until: until)
        var response = try await page(
          context, owner, problem: error.message(in: words, now: Date()), .tooManyRequests)
        response.headers[.retryAfter] = ErrorResponse(cause: error)?.headers[.retryAfter]
        return response
      } catch let error as PhotoError {
        return try await refuse(context, owner, .photo(error))
      } catch let error as StoreError {
        return try await refuse(context, owner, error)
      }
    }
  }

  /// `POST /announcements/{id}/owner/close`
  @Sendable func close(_ context: RequestContext) async throws -> Response {
    try await withOwner(context) { owner in
      _ = try await PostedForm.receive(context, within: limits)
      _ = try await stores.announcements.close(owner)
      return .see(Self.path(owner.id))
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

  // MARK: - Access

  static func path(_ id: String) -> String { "/announcements/\(id)/owner" }

  /// Counts and runs an owner's change. Returns the form for the code if the browser's right has expired.
  private func withOwner(
    _ context: RequestContext, _ change: (AnnouncementOwner) async throws -> Response
  ) async throws -> Response {
    let id = try context.announcementID
    guard let owner = try await OwnerCookie.owner(context, id: id, in: stores) else {
      let words = PageRenderer(context).words
      return entrance(context, id, problem: words("owner.expired"), .forbidden)
    }
    // Each change costs a transaction at least.
    try limits.clients.count(.change, of: context.client)
    return try await change(owner)
  }

  /// Returns the form for the code after a wrong code or too many tries.
  ///
  /// - Throws: any other error.
  private func entrance(
    _ context: RequestContext, _ id: String, after error: any Error
  ) throws -> Response {
    switch error as? AnnouncementError {
    case .wrongPassword?, .throttled?: break
    default: throw error
    }
    let answer = ErrorResponse(cause: error)
    let words = PageRenderer(context).words
    var response = entrance(
      context, id, problem: (error as? AnnouncementError)?.message(in: words, now: Date()),
      answer?.status ?? .forbidden)
    response.headers[.retryAfter] = answer?.headers[.retryAfter]
    return response
  }

  // MARK: - Pages

  private func save(
    _ context: RequestContext, _ posted: PostedForm, _ owner: AnnouncementOwner
  ) async throws -> Response {
    let form = OwnerForm(posted)
    var refused = RefusedForm(StepRefusal(typed: form.texts), seen: posted.given("seen"))
    switch form.change(taxonomy: await stores.species.taxonomy, now: Date()) {
    case .failure: return try await refuse(context, owner, refused)
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
          return try await refuse(context, owner, refused)
        }
        return .see(
          Self.path(owner.id) + "?done=saved", cookies: [RefusedForm.removal(context, id: owner.id)]
        )
      } catch AnnouncementError.duplicateMicrochip {
        refused.refusal.reason = "failure.duplicate-microchip"
      } catch AnnouncementError.invalid(let fields) {
        refused.refusal.invalidFields = fields
      } catch AnnouncementError.throttled(let until) {
        return try entrance(context, owner.id, after: AnnouncementError.throttled(until: until))
      }
      return try await refuse(context, owner, refused)
    }
  }

  /// Redirects (303) to the page, which shows the refused form for a minute. If the form is too large for a cookie,
  /// returns the page with the form.
  private func refuse(
    _ context: RequestContext, _ owner: AnnouncementOwner, _ refused: RefusedForm
  ) async throws -> Response {
    if let line = try await refused.line(context, id: owner.id, in: stores) {
      return .see(Self.path(owner.id), cookies: [line])
    }
    let report = try await stores.announcements.report(owner)
    return await page(
      context, owner.id, OwnerForm(report), refused, status: .unprocessableContent)
  }

  /// Refuses a photo. If the server caused the failure, returns a page with the status of that failure.
  private func refuse(
    _ context: RequestContext, _ owner: AnnouncementOwner, _ failure: StoreError
  ) async throws -> Response {
    if case .photo(let error) = failure, error.blame == .photo {
      return try await refuse(context, owner, RefusedForm(StepRefusal(photo: error)))
    }
    problemLog.record(failure, or: "photo not attached", context.logger)
    let text = failure.pageText(in: PageRenderer(context).words)
    return try await page(context, owner, problem: text, failure.pageStatus)
  }

  /// Returns the page with the reason why a photo wasn't stored.
  private func page(
    _ context: RequestContext, _ owner: AnnouncementOwner, problem text: String,
    _ status: HTTPResponse.Status
  ) async throws -> Response {
    let report = try await stores.announcements.report(owner)
    return await page(
      context, owner.id, OwnerForm(report), problem: ErrorEntry(text: text, field: "photo"),
      status: status)
  }

  private static func done(_ text: String) -> TextKey? {
    [
      "saved": "owner.saved", "photo": "owner.photoReplaced", "reopened": "owner.reopened",
    ][text]
  }

  private func entrance(
    _ context: RequestContext, _ id: String, problem: String?, _ status: HTTPResponse.Status
  ) -> Response {
    let renderer = PageRenderer(context)
    var head = PageHead(renderer.words("owner.title"), isSecret: true)
    (head.status, head.returnTo) = (status, Self.path(id))
    head.errors = problem.map { [ErrorEntry(text: $0, field: "code")] } ?? []
    return renderer.page(
      "owner-code", CodeView(id: id, problem: problem, sendsMail: stores.sendsMail), head)
  }

  /// Why an announcement isn't open.
  private struct Gone {
    let text: TextKey
    let canReopen: Bool
  }

  /// Returns the page of an announcement.
  ///
  /// - Parameters:
  ///   - current: the announcement's content. `nil` if the announcement was closed or taken down.
  ///   - refused: a form that is shown again with its errors.
  private func page(
    _ context: RequestContext, _ id: String, _ current: OwnerForm?, _ refused: RefusedForm? = nil,
    done: TextKey? = nil, problem: ErrorEntry? = nil, status: HTTPResponse.Status = .ok,
    gone: Gone? = nil
  ) async -> Response {
    let renderer = PageRenderer(context)
    let words = renderer.words
    let taxonomy = await stores.species.taxonomy
    let typed = refused?.refusal.typed.map { OwnerForm($0) }
    let form = typed ?? current
    var errors: [ValidationError] = []
    if let typed, case .failure(let found) = typed.change(taxonomy: taxonomy, now: Date()) {
      errors = found.errors
    }
    let problems =
      [problem, refused.flatMap { ErrorEntry(owner: $0.refusal, in: words) }].compactMap { $0 }
      + errors.lines(in: words)
    var head = PageHead(words("owner.title"), isSecret: true)
    (head.status, head.returnTo, head.errors) = (status, Self.path(id), problems)
    let fields = stores.asked(OwnerForm.fields).map {
      FieldView($0, form?.shown($0, in: words) ?? "", errors: errors, in: words)
    }
    let fingerprint = current?.entries.fingerprint ?? ""
    let isStale = refused?.seen.map { $0 != fingerprint } ?? false
    let announcement = try? await stores.announcements.announcement(id: id)
    return renderer.page(
      "owner",
      OwnerView(
        id: id, done: done.map { words($0) },
        seen: fingerprint,
        changed: (isStale ? current : nil).map {
          ChangedView($0.entries, mine: form?.texts ?? [:], taxonomy: taxonomy, in: words)
        },
        gone: gone.map { words($0.text) }, canReopen: gone?.canReopen ?? false,
        picture: announcement.flatMap {
          PictureView($0, .page, text: words("owner.photoNow"))
        },
        field: Dictionary(fields.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
        latestDate: CalendarDay(Date(), in: .latest).description,
        species: taxonomy.options.map {
          ChoiceView($0, chosen: form?.texts[.species], in: words)
        },
        genders: ChoiceView.genders(chosen: form?.texts[.gender], in: words),
        photoProblem: problems.first { $0.field == "photo" }?.text,
        limit: words("photo.limit", ["size": words.limit(limits.photoBytes)])),
      head)
  }
}

extension ErrorEntry {
  /// Creates the entry for a refused form, except for errors of its fields. Fails if there is nothing else to show.
  fileprivate init?(owner refusal: StepRefusal, in words: Words) {
    if let error = refusal.photo {
      self.init(text: error.message(in: words), field: "photo")
    } else if let reason = refusal.reason, reason != "announcement.codeMissing" {
      self.init(text: words(reason), field: reason == "photo.mandatory" ? "photo" : "chip")
    } else if !refusal.invalidFields.isEmpty {
      let error = AnnouncementError.invalid(refusal.invalidFields)
      self.init(text: error.message(in: words, now: Date()))
    } else {
      return nil
    }
  }
}

/// The data of the form for the code.
struct CodeView {
  let id: String
  let problem: String?
  /// `true` if a lost code can be replaced.
  let sendsMail: Bool
}

/// The data of a page that asks for confirmation.
struct QuestionView {
  let id: String
}

/// The data of the owner's page.
struct OwnerView {
  let id: String
  /// The message about the last change.
  let done: String?
  /// The fingerprint of the content that the page was made from.
  let seen: String
  /// Changes that another browser has saved meanwhile.
  let changed: ChangedView?
  /// The reason why the announcement isn't open. `nil` if it is.
  let gone: String?
  /// `true` if a closed announcement can be opened again.
  let canReopen: Bool
  /// The photo that others see.
  let picture: PictureView?
  let field: [String: FieldView]
  let latestDate: String
  let species: [ChoiceView]
  let genders: [ChoiceView]
  let photoProblem: String?
  let limit: String
}
