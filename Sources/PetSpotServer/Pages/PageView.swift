import HTTPTypes
import ReportFlow

/// The data for the layout of every page. Templates can use the names of stored properties only.
struct PageView {
  let t: TemplateTexts
  /// The language of the page, `en` or `pl`.
  let lang: String
  /// The title of the browser tab. Begins with the word for an error if the page has errors.
  let title: String
  /// URLs of files that the page loads.
  let styles, script, icon, touchIcon: String
  /// The styles for a paper size. `nil` for any paper.
  let paper: String?
  /// The canonical URL. `nil` if the page has no such URL.
  let canonical: String?
  /// The feeds of the list on the page. `nil` if the page has no list.
  let feeds: FeedLinks?
  let photoScript: String?
  let languages: [LanguageView]
  /// `true` if the page consists of one form. A change of language then sends the typed texts too.
  let isStep: Bool
  /// The path to which a change of language returns.
  let returnTo: String
  let progress: ProgressView?
  let errors: [ErrorEntry]
  /// `true` if the summary of errors is shown.
  let hasErrors: Bool
  let toast: ToastView?
  let share: ShareView?
  let footer: FooterView
  /// The data of the page itself.
  let content: Any
}

/// The operator and the contact for complaints, if configured.
struct FooterView {
  let name: String?
  let contact: String?
  /// The contact as a link.
  let link: String?

  init(_ siteOperator: SiteOperator) {
    name = siteOperator.name
    contact = siteOperator.contact
    link = contact.map { $0.contains("://") ? $0 : "mailto:" + $0 }
  }
}

/// The URLs of a list's feeds.
struct FeedLinks: Sendable {
  let atom, json: String
}

/// A language that can be chosen, under its own name.
struct LanguageView {
  let code, name: String
  let isCurrent: Bool

  static func all(current: Language) -> [Self] {
    [(Language.en, "English"), (.pl, "Polski")].map {
      Self(code: $0.0.rawValue, name: $0.1, isCurrent: $0.0 == current)
    }
  }
}

/// The progress, such as `2/4`, and its text for screen readers.
struct ProgressView {
  let text, spoken: String
  /// One part per step. The parts up to the current step are reached.
  let parts: [Part]
  struct Part { let isReached: Bool }

  init?(_ step: FlowStep?, in words: Words) {
    guard let step, let number = step.number, let progress = step.progressText(in: words) else {
      return nil
    }
    text = progress
    spoken = words("page.step", ["step": String(number), "count": String(FlowStep.count)])
    parts = (1...FlowStep.count).map { Part(isReached: $0 <= number) }
  }
}

/// A line in the summary of errors: a link to its field, or only a text.
struct ErrorEntry: Sendable {
  let text: String
  var field: String?
  /// Another page on which the error can be corrected.
  var page: String?
}

extension ErrorEntry {
  /// Returns links for the owner of the announcement that already has the microchip number. That one is public, and the
  /// owner may have lost its code.
  static func links(of refusal: StepRefusal, in stores: Stores, _ words: Words) -> [Self] {
    guard let id = refusal.other else { return [] }
    let code = OwnerPage.path(id) + (stores.sendsMail ? "/lost-code" : "")
    return [
      Self(text: words("duplicate.see"), page: "/announcements/" + id),
      Self(text: words("lostCode.title"), page: code),
    ]
  }
}

/// A message that disappears after 3 seconds (decision 32).
struct ToastView: Sendable {
  let text, testID: String
}

/// The preview of a link to the page on other sites (Open Graph), and the texts with which people share it.
struct ShareView {
  let title, text: String
  /// The text for a share sheet, which adds the address.
  let message: String
  let address: String?
  let locale: String
  let picture: SharedPicture?

  init(
    title: String, text: String, message: String, address: String?, locale: Language,
    picture: SharedPicture?
  ) {
    self.title = title
    self.text = text
    self.message = message
    self.address = address
    self.locale = locale == .pl ? "pl_PL" : "en_US"
    self.picture = picture
  }
}

/// The properties of a page besides its content.
struct PageHead: Sendable {
  var title: String
  var status = HTTPResponse.Status.ok
  /// The step, if its form is the whole page.
  var step: FlowStep?
  var errors: [ErrorEntry] = []
  var toast: ToastView?
  var caching: String
  /// The path to which a change of language returns. `nil` for the request's path.
  var returnTo: String?
  /// The path of the canonical URL.
  var canonical: String?
  var feeds: FeedLinks?
  /// The paper size that the page is made for.
  var paper: String?

  /// Creates a head. Pages with a draft, a code or an owner's form are secret, so caches must not store them.
  init(_ title: String, step: FlowStep? = nil, isSecret: Bool = false) {
    self.title = title
    self.step = step
    caching = step == nil && !isSecret ? "private, no-cache" : "no-store"
  }
}
