import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import Synchronization

/// What an announcement's owner may do with it: change what it says, replace the photo, close, erase. The
/// code gives the right to for 30 minutes.
struct OwnerPage: Sendable {
  let site: Site

  /// `GET /announcements/{id}/owner`; with `?erase=1` asks before everything is deleted.
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let (id, query) = (try await id(context), try context.query())
    guard let right = try await OwnerCookie.right(context, id: id, on: site) else {
      return entrance(context, id, problem: nil, .ok)
    }
    if query["erase"] != nil {
      let renderer = PageRenderer(context, on: site)
      return renderer.page("owner-erase", EraseView(id: id), head(renderer.words(.ownerErase)))
    }
    return try await entered(context, id) {
      do {
        let report = try await site.announcements.report(right)
        return await page(
          context, id, OwnerForm(report), done: query["done"].flatMap(Self.done), .ok)
      } catch let error as AnnouncementError {
        // It is gone for others already, and can still be erased.
        switch error {
        case .closed, .takenDown:
          return await page(context, id, nil, problems: [], .ok, gone: error)
        default: throw error
        }
      }
    }
  }

  /// `POST /announcements/{id}/owner`: the code, or with `action=save` what was changed.
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let (id, posted) = (try await id(context), try await PostedForm.receive(context, on: site))
    if posted["action"] == "save" {
      return try await authorized(context, id) { try await save(context, id, posted, $0) }
    }
    let code = posted["code"].trimmingCharacters(in: .whitespacesAndNewlines)
    let words = PageRenderer(context, on: site).words
    guard !code.isEmpty, code.utf8.count <= 1000 else {
      return entrance(
        context, id, problem: words(.announcementCodeMissing), .unprocessableContent)
    }
    return try await entered(context, id) {
      let right = try await site.announcements.right(
        id: id, managementPassword: code, client: context.client.text)
      let cookie = try await OwnerCookie.line(right, context, on: site)
      return .see(Self.path(id), cookies: [cookie])
    }
  }

  /// `POST /announcements/{id}/owner/photo`, a form with a file.
  @Sendable func replacePhoto(_ context: RequestContext) async throws -> Response {
    let id = try await id(context)
    return try await authorized(context, id) { right in
      try site.decoding.checkRoom(for: context.client)
      let words = PageRenderer(context, on: site).words
      do {
        let form = try await UploadedForm.receive(context, on: site, file: "photo")
        guard let source = form.source else {
          return try await again(
            context, id, right, words(.photoMandatory), field: "photo", .unprocessableContent)
        }
        _ = try await site.decoding.pass(context.client) {
          try await site.attach(source, to: right, for: context.client)
        }
        return .see(Self.path(id) + "?done=photo")
      } catch let error as PhotoError {
        return try await again(
          context, id, right, error.message(in: words), field: "photo",
          ErrorResponse(cause: error)?.status ?? .unprocessableContent)
      } catch let error as StoreError {
        return try await again(
          context, id, right, error.pageText(in: words), field: "photo", error.pageStatus)
      }
    }
  }

  /// `POST /announcements/{id}/owner/close`
  @Sendable func close(_ context: RequestContext) async throws -> Response {
    let id = try await id(context)
    return try await authorized(context, id) { right in
      _ = try await PostedForm.receive(context, on: site)
      _ = try await site.announcements.close(right)
      return .see("/announcements/" + id)
    }
  }

  /// `POST /announcements/{id}/owner/erase`
  @Sendable func erase(_ context: RequestContext) async throws -> Response {
    let id = try await id(context)
    return try await authorized(context, id) { right in
      _ = try await PostedForm.receive(context, on: site)
      try await site.announcements.erase(right)
      return .see(
        "/announcements/" + id, cookies: [OwnerCookie.removal(context, id: id)])
    }
  }

  // MARK: - Who may

  static func path(_ id: String) -> String { "/announcements/\(id)/owner" }

  /// - Throws: 404 for an announcement that there never was, 410 for an erased one.
  private func id(_ context: RequestContext) async throws -> String {
    try await site.announcement(context.parameter("id")).id
  }

  /// Does what an owner may by the right of the browser's cookie; without a good one asks for the code.
  private func authorized(
    _ context: RequestContext, _ id: String, _ act: (OwnerRight) async throws -> Response
  ) async throws -> Response {
    guard let right = try await OwnerCookie.right(context, id: id, on: site) else {
      return entrance(
        context, id, problem: PageRenderer(context, on: site).words(.ownerExpired), .forbidden)
    }
    return try await entered(context, id) { try await act(right) }
  }

  /// Asks for the code again when it is wrong, or when too many were.
  private func entered(
    _ context: RequestContext, _ id: String, _ act: () async throws -> Response
  ) async throws -> Response {
    do { return try await act() } catch let error as AnnouncementError {
      switch error {
      case .wrongPassword, .throttled, .crowded: break
      default: throw error
      }
      let answer = ErrorResponse(cause: error)
      var response = entrance(
        context, id, problem: error.message(in: PageRenderer(context, on: site).words, now: Date()),
        answer?.status ?? .forbidden)
      response.headers[.retryAfter] = answer?.headers[.retryAfter]
      return response
    }
  }

  // MARK: - Pages

  private func save(
    _ context: RequestContext, _ id: String, _ posted: PostedForm, _ right: OwnerRight
  ) async throws -> Response {
    let (form, words) = (OwnerForm(posted), PageRenderer(context, on: site).words)
    switch form.change(taxonomy: await site.species.taxonomy, now: Date()) {
    case .failure(let found):
      return await page(
        context, id, form, problems: found.errors.lines(in: words), errors: found.errors,
        .unprocessableContent, given: posted.given("seen"))
    case .success(let change):
      do {
        // What is saved by now, where that is not what the page was made from.
        let saved = Mutex<OwnerForm?>(nil)
        _ = try await site.announcements.change(right, client: context.client.text) { report in
          let now = OwnerForm(report)
          if let seen = posted.given("seen"), seen != now.entries.fingerprint {
            saved.withLock { $0 = now }
          } else {
            change(&report)
          }
        }
        if let saved = saved.withLock({ $0 }) {
          return await page(context, id, form, .conflict, seen: saved)
        }
        return .see(Self.path(id) + "?done=saved")
      } catch AnnouncementError.duplicateMicrochip {
        let line = ErrorEntry(text: words(.failureDuplicateChip), field: "chip")
        return await page(
          context, id, form, problems: [line], .conflict, given: posted.given("seen"))
      } catch let error as AnnouncementError where error.isInvalid {
        let line = ErrorEntry(text: error.message(in: words, now: Date()))
        return await page(
          context, id, form, problems: [line], .unprocessableContent, given: posted.given("seen"))
      }
    }
  }

  private func again(
    _ context: RequestContext, _ id: String, _ right: OwnerRight, _ text: String, field: String,
    _ status: HTTPResponse.Status
  ) async throws -> Response {
    let report = try await site.announcements.report(right)
    return await page(
      context, id, OwnerForm(report), problems: [ErrorEntry(text: text, field: field)], status)
  }

  private static func done(_ text: String) -> TextKey? {
    ["saved": .ownerSaved, "photo": .ownerPhotoReplaced][text]
  }

  private func head(_ title: String) -> PageHead {
    var head = PageHead(title)
    head.caching = "no-store"
    return head
  }

  private func entrance(
    _ context: RequestContext, _ id: String, problem: String?, _ status: HTTPResponse.Status
  ) -> Response {
    let renderer = PageRenderer(context, on: site)
    var head = head(renderer.words(.ownerTitle))
    (head.status, head.returnTo) = (status, Self.path(id))
    head.errors = problem.map { [ErrorEntry(text: $0, field: "code")] } ?? []
    return renderer.page("owner-code", CodeView(id: id, problem: problem), head)
  }

  private func page(
    _ context: RequestContext, _ id: String, _ form: OwnerForm?, done: TextKey? = nil,
    problems: [ErrorEntry] = [], errors: [ValidationError] = [], _ status: HTTPResponse.Status,
    gone: AnnouncementError? = nil, seen: OwnerForm? = nil, given: String? = nil
  ) async -> Response {
    let renderer = PageRenderer(context, on: site)
    let words = renderer.words
    var head = head(words(.ownerTitle))
    (head.status, head.returnTo, head.errors) = (status, Self.path(id), problems)
    let fields = OwnerForm.fields.map {
      FieldView($0, form?.texts[$0] ?? "", errors: errors, in: words)
    }
    let taxonomy = await site.species.taxonomy
    var isTakenDown = false
    if case .takenDown = gone { isTakenDown = true }
    return renderer.page(
      "owner",
      OwnerView(
        id: id, done: done.map { words($0) },
        seen: given ?? (seen ?? form)?.entries.fingerprint ?? "",
        changed: seen.map {
          ChangedView($0.entries, mine: form?.texts ?? [:], taxonomy: taxonomy, in: words)
        },
        gone: gone.map { _ in words(isTakenDown ? .announcementTakenDown : .announcementClosed) },
        field: Dictionary(fields.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
        latestDate: CalendarDay(Date(), in: .latest).description,
        species: taxonomy.options.map {
          SpeciesChoice(
            id: $0.id, name: $0.displayName(in: words), isChosen: $0.id == form?.texts[.species])
        },
        genders: Gender.allCases.map {
          GenderView(
            id: $0.rawValue, name: $0.displayName(in: words),
            isChosen: $0.rawValue == form?.texts[.gender])
        },
        photoProblem: problems.first { $0.field == "photo" }?.text,
        limit: words(.photoLimit, ["size": words.limit(site.configuration.uploadLimit)])),
      head)
  }
}

/// What asks for the code.
struct CodeView {
  let id: String
  let problem: String?
}

/// What asks before everything is deleted.
struct EraseView {
  let id: String
}

/// What an owner can change.
struct OwnerView {
  let id: String
  /// What was done just now.
  let done: String?
  /// Which state of the announcement the page was made from.
  let seen: String
  /// What another owner has saved meanwhile.
  let changed: ChangedView?
  /// Why only erasing is left; nil for an open announcement.
  let gone: String?
  let field: [String: FieldView]
  let latestDate: String
  let species: [SpeciesChoice]
  let genders: [GenderView]
  let photoProblem: String?
  let limit: String
}
