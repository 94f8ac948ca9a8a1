import Announcements
import Foundation
import HTTPTypes
import Hummingbird
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import Synchronization

/// What an announcement's owner may do with it: change what it says, replace the photo, close, erase. The
/// code gives the right to for 30 minutes.
struct OwnerPage: Sendable {
  let site: Site

  /// `GET /announcements/{id}/owner`; with `?erase=1` asks before everything is deleted.
  @Sendable func show(_ exchange: Exchange) async throws -> Response {
    let (id, query) = (try await id(exchange), try exchange.query())
    guard let cookie = try await OwnerCookie(exchange, id: id, on: site) else {
      return entrance(exchange, id, problem: nil, .ok)
    }
    if query["erase"] != nil {
      let reader = Reader(exchange, on: site)
      return reader.page("owner-erase", EraseView(id: id), head(reader.words(.ownerErase)))
    }
    return try await entered(exchange, id) {
      do {
        let report = try await site.announcements.report(
          id: id, managementPassword: cookie.code, client: exchange.client.text)
        return await page(
          exchange, id, OwnerForm(report), done: query["done"].flatMap(Self.done), .ok)
      } catch let error as AnnouncementError {
        // It is gone for others already, and can still be erased.
        switch error {
        case .closed, .takenDown:
          return await page(exchange, id, nil, problems: [], .ok, gone: error)
        default: throw error
        }
      }
    }
  }

  /// `POST /announcements/{id}/owner`: the code, or with `action=save` what was changed.
  @Sendable func receive(_ exchange: Exchange) async throws -> Response {
    let (id, posted) = (try await id(exchange), try await PostedForm.receive(exchange))
    if posted["action"] == "save" {
      return try await authorized(exchange, id) { try await save(exchange, id, posted, code: $0) }
    }
    let code = posted["code"].trimmingCharacters(in: .whitespacesAndNewlines)
    let words = Reader(exchange, on: site).words
    guard !code.isEmpty, code.utf8.count <= 1000 else {
      return entrance(
        exchange, id, problem: words(.announcementCodeMissing), .unprocessableContent)
    }
    return try await entered(exchange, id) {
      try await site.announcements.authorize(
        id: id, managementPassword: code, client: exchange.client.text)
      let cookie = try await OwnerCookie.line(code, id: id, exchange, on: site)
      return .see(Self.path(id), cookies: [cookie])
    }
  }

  /// `POST /announcements/{id}/owner/photo`, a form with a file.
  @Sendable func replacePhoto(_ exchange: Exchange) async throws -> Response {
    let id = try await id(exchange)
    return try await authorized(exchange, id) { code in
      try site.decoding.checkRoom(for: exchange.client)
      let words = Reader(exchange, on: site).words
      do {
        let form = try await UploadedForm.receive(exchange, on: site, file: "photo")
        guard let source = form.source else {
          return try await again(
            exchange, id, code, words(.photoMandatory), field: "photo", .unprocessableContent)
        }
        _ = try await site.decoding.pass(exchange.client) {
          try await site.attach(source, to: (id, code), for: exchange.client)
        }
        return .see(Self.path(id) + "?done=photo")
      } catch let error as PhotoError {
        return try await again(
          exchange, id, code, error.message(in: words), field: "photo",
          ErrorAnswer(cause: error)?.status ?? .unprocessableContent)
      } catch let error as StoreError {
        return try await again(
          exchange, id, code, error.message(in: words), field: "photo", error.pageStatus)
      }
    }
  }

  /// `POST /announcements/{id}/owner/close`
  @Sendable func close(_ exchange: Exchange) async throws -> Response {
    let id = try await id(exchange)
    return try await authorized(exchange, id) { code in
      _ = try await PostedForm.receive(exchange)
      _ = try await site.announcements.close(
        id: id, managementPassword: code, client: exchange.client.text)
      return .see("/announcements/" + id)
    }
  }

  /// `POST /announcements/{id}/owner/erase`
  @Sendable func erase(_ exchange: Exchange) async throws -> Response {
    let id = try await id(exchange)
    return try await authorized(exchange, id) { code in
      _ = try await PostedForm.receive(exchange)
      try await site.announcements.erase(
        id: id, managementPassword: code, client: exchange.client.text)
      return .see(
        "/announcements/" + id, cookies: [OwnerCookie.removal(exchange, id: id)])
    }
  }

  // MARK: - Who may

  static func path(_ id: String) -> String { "/announcements/\(id)/owner" }

  /// - Throws: 404 for an announcement that there never was, 410 for an erased one.
  private func id(_ exchange: Exchange) async throws -> String {
    try await site.announcement(exchange.parameter("id")).id
  }

  /// Does what an owner may with the code of the browser's cookie; without a good one asks for the code.
  private func authorized(
    _ exchange: Exchange, _ id: String, _ act: (String) async throws -> Response
  ) async throws -> Response {
    guard let cookie = try await OwnerCookie(exchange, id: id, on: site) else {
      return entrance(
        exchange, id, problem: Reader(exchange, on: site).words(.ownerExpired), .forbidden)
    }
    return try await entered(exchange, id) { try await act(cookie.code) }
  }

  /// Asks for the code again when it is wrong, or when too many were.
  private func entered(
    _ exchange: Exchange, _ id: String, _ act: () async throws -> Response
  ) async throws -> Response {
    do { return try await act() } catch let error as AnnouncementError {
      switch error {
      case .wrongPassword, .throttled, .crowded: break
      default: throw error
      }
      let answer = ErrorAnswer(cause: error)
      var response = entrance(
        exchange, id, problem: error.message(in: Reader(exchange, on: site).words, now: Date()),
        answer?.status ?? .forbidden)
      response.headers[.retryAfter] = answer?.headers[.retryAfter]
      return response
    }
  }

  // MARK: - Pages

  private func save(
    _ exchange: Exchange, _ id: String, _ posted: PostedForm, code: String
  ) async throws -> Response {
    let (form, words) = (OwnerForm(posted), Reader(exchange, on: site).words)
    switch form.change(taxonomy: await site.species.taxonomy, now: Date()) {
    case .failure(let found):
      return await page(
        exchange, id, form, problems: found.errors.lines(in: words), errors: found.errors,
        .unprocessableContent, given: posted.given("seen"))
    case .success(let change):
      do {
        // What is saved by now, where that is not what the page was made from.
        let saved = Mutex<OwnerForm?>(nil)
        _ = try await site.announcements.change(
          id: id, managementPassword: code, client: exchange.client.text
        ) { report in
          let now = OwnerForm(report)
          if let seen = posted.given("seen"), seen != now.entries.fingerprint {
            saved.withLock { $0 = now }
          } else {
            change(&report)
          }
        }
        if let saved = saved.withLock({ $0 }) {
          return await page(exchange, id, form, .conflict, seen: saved)
        }
        return .see(Self.path(id) + "?done=saved")
      } catch AnnouncementError.duplicateMicrochip {
        let line = ErrorEntry(text: words(.failureDuplicateChip), field: "chip")
        return await page(
          exchange, id, form, problems: [line], .conflict, given: posted.given("seen"))
      } catch let error as AnnouncementError where error.isInvalid {
        let line = ErrorEntry(text: error.message(in: words, now: Date()))
        return await page(
          exchange, id, form, problems: [line], .unprocessableContent, given: posted.given("seen"))
      }
    }
  }

  private func again(
    _ exchange: Exchange, _ id: String, _ code: String, _ text: String, field: String,
    _ status: HTTPResponse.Status
  ) async throws -> Response {
    let report = try await site.announcements.report(
      id: id, managementPassword: code, client: exchange.client.text)
    return await page(
      exchange, id, OwnerForm(report), problems: [ErrorEntry(text: text, field: field)], status)
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
    _ exchange: Exchange, _ id: String, problem: String?, _ status: HTTPResponse.Status
  ) -> Response {
    let reader = Reader(exchange, on: site)
    var head = head(reader.words(.ownerTitle))
    (head.status, head.returnTo) = (status, Self.path(id))
    head.errors = problem.map { [ErrorEntry(text: $0, field: "code")] } ?? []
    return reader.page("owner-code", CodeView(id: id, problem: problem), head)
  }

  private func page(
    _ exchange: Exchange, _ id: String, _ form: OwnerForm?, done: TextKey? = nil,
    problems: [ErrorEntry] = [], errors: [ValidationError] = [], _ status: HTTPResponse.Status,
    gone: AnnouncementError? = nil, seen: OwnerForm? = nil, given: String? = nil
  ) async -> Response {
    let reader = Reader(exchange, on: site)
    let words = reader.words
    var head = head(words(.ownerTitle))
    (head.status, head.returnTo, head.errors) = (status, Self.path(id), problems)
    let fields = OwnerForm.fields.map {
      FieldView($0, form?.texts[$0] ?? "", errors: errors, in: words)
    }
    let taxonomy = await site.species.taxonomy
    var isTakenDown = false
    if case .takenDown = gone { isTakenDown = true }
    return reader.page(
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
