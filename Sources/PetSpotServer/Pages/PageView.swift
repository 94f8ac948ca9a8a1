import HTTPTypes
import ReportFlow

/// What the layout of every page shows. Templates see the names of stored properties, and no others.
struct PageView {
  let t: TemplateTexts
  /// The language of the page, `en` or `pl`.
  let lang: String
  /// What stands in the browser's tab; begins with the word for an error where there is one.
  let title: String
  /// Addresses of what the page loads.
  let styles, script, icon, touchIcon: String
  /// The styles of the paper that the page is printed on; nil for any paper.
  let paper: String?
  /// The one address of what the page shows; nil where it has none.
  let canonical: String?
  /// The list that the page shows as a feed, and as another; nil where it shows none.
  let feeds: FeedLinks?
  let photoScript: String?
  let languages: [LanguageView]
  /// Whether the page is one form, with which a change of language sends what is typed.
  let isStep: Bool
  /// The address a change of language comes back to.
  let returnTo: String
  let progress: ProgressView?
  let errors: [ErrorEntry]
  /// Whether the summary of errors is shown.
  let hasErrors: Bool
  let toast: ToastView?
  let share: ShareView?
  let footer: FooterView
  /// What the page itself shows.
  let content: Any
}

/// Who runs the server and where to complain, as far as that's said.
struct FooterView {
  let name: String?
  let contact: String?
  /// The contact as a link.
  let link: String?

  init(_ configuration: ServerConfiguration) {
    (name, contact) = (configuration.operatorName, configuration.operatorContact)
    link = contact.map { $0.contains("://") ? $0 : "mailto:" + $0 }
  }
}

/// Where the feeds of a list are.
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

/// `2/4`, and how it is read aloud.
struct ProgressView {
  let text, spoken: String
  /// One entry for each step, and whether it lies behind the present one.
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

/// A line of the summary of errors: a link to its field, or only words.
struct ErrorEntry: Sendable {
  let text: String
  var field: String?
  /// Another page where it can be put right.
  var page: String?
}

/// A message that goes away by itself after 3 seconds (decision 32).
struct ToastView: Sendable {
  let text, testID: String
}

/// What other sites show of a link to the page (Open Graph).
struct ShareView {
  let title, text, address, locale: String
  let picture: SharedPicture?
}

/// What a page says of itself besides its content.
struct PageHead: Sendable {
  var title: String
  var status = HTTPResponse.Status.ok
  /// The step it is, whose form is the whole page.
  var step: FlowStep?
  var errors: [ErrorEntry] = []
  var toast: ToastView?
  var caching: String
  /// Where a change of language comes back to; nil for the address of the request.
  var returnTo: String?
  /// The path of the one address of what it shows.
  var canonical: String?
  var feeds: FeedLinks?
  /// The paper that it is made for.
  var paper: String?

  /// What a page of a step shows is a draft's or a code, which no cache keeps.
  init(_ title: String, step: FlowStep? = nil) {
    (self.title, self.step) = (title, step)
    caching = step == nil ? "private, no-cache" : "no-store"
  }
}
