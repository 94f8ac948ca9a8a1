import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import ReportFlow

/// The contents of the owner's page.
extension OwnerPage {
  /// Why an announcement isn't open.
  struct Gone {
    let text: TextKey
    let canReopen: Bool
  }

  /// Returns the page of an announcement.
  ///
  /// - Parameters:
  ///   - current: the announcement's content. `nil` if the announcement was closed or taken down.
  ///   - refused: a form that is shown again with its errors.
  func page(
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
      + (refused.map { ErrorEntry.links(of: $0.refusal, in: stores, words) } ?? [])
      + errors.lines(in: words)
    // Erased and hidden announcements have no name and picture here. Their owners can still use the form.
    let announcement = try? await stores.announcements.announcement(id: id)
    let isHome = gone != nil && announcement?.details.isHome == true
    var head = PageHead(words("owner.title"), isSecret: true)
    head.status = status
    head.returnTo = Self.path(id)
    head.errors = problems
    let fields = stores.asked(OwnerForm.fields).map {
      FieldView(
        $0, form?.shown($0, in: words) ?? "", errors: errors,
        help: $0 == .email ? "email.newCode" : nil, in: words)
    }
    let fingerprint = current?.entries.fingerprint ?? ""
    let isStale = refused?.seen.map { $0 != fingerprint } ?? false
    return renderer.page(
      "owner",
      OwnerView(
        id: id, name: announcement.flatMap { $0.details.petNameGiven ? $0.petName : nil },
        link: announcement.map { context.base + ($0.shortPath ?? "/announcements/" + id) },
        share: announcement.map {
          ShareView($0, base: context.base, reader: words.language)
        }, done: done.map { words($0) },
        seen: fingerprint,
        changed: (isStale ? current : nil).map {
          ChangedView($0.entries, mine: form?.texts ?? [:], taxonomy: taxonomy, in: words)
        },
        gone: gone.map { words(isHome ? "owner.closedHome" : $0.text) }, isHome: isHome,
        canReopen: gone?.canReopen ?? false,
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
        limit: words("photo.limit", ["size": words.limit(limits.photoBytes)]),
        limitBytes: limits.photoBytes,
        tooLarge: words("photo.tooLarge", ["limit": words.limit(limits.photoBytes)])),
      head)
  }
}

extension ErrorEntry {
  /// Creates the entry for a refused form, except for errors of its fields. Fails if there is nothing else to show.
  fileprivate init?(owner refusal: StepRefusal, in words: Words) {
    if let error = refusal.photo {
      self.init(text: error.message(in: words), field: "photo")
    } else if let reason = refusal.reason, reason != "announcement.codeMissing" {
      self.init(text: words(reason), field: "chip")
    } else if !refusal.invalidFields.isEmpty {
      let error = AnnouncementError.invalid(refusal.invalidFields)
      self.init(text: error.message(in: words, now: Date()))
    } else {
      return nil
    }
  }
}

/// The data of a page that asks for confirmation.
struct QuestionView {
  let id: String
  /// The question whether the pet is home, and the answer that it is.
  var title = ""
  var isHome = ""
}

extension QuestionView {
  /// Creates the question why an announcement is closed (decision 87).
  init(id: String, _ announcement: Announcement, in words: Words) {
    let isNamed = announcement.details.petNameGiven
    let name = isNamed ? announcement.petName : words("owner.closePet")
    self.init(
      id: id, title: words("owner.closeTitle", ["name": name]),
      isHome: words("owner.closeHome", ["name": name]))
  }
}

/// The data of the owner's page.
struct OwnerView {
  let id: String
  /// The pet's name, if it has one.
  let name: String?
  /// The announcement's link for others, and the texts with which people share it.
  let link: String?
  let share: ShareView?
  /// The message about the last change.
  let done: String?
  /// The fingerprint of the content that the page was made from.
  let seen: String
  /// Changes that another browser has saved meanwhile.
  let changed: ChangedView?
  /// The reason why the announcement isn't open. `nil` if it is.
  let gone: String?
  /// `true` if it was closed because the pet is home.
  let isHome: Bool
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
  let limitBytes: Int
  let tooLarge: String
}
