import HummingbirdCore
import ReportFlow

/// The page about the data of reporters and readers. Each sentence must be true of this program.
struct PrivacyPage: Sendable {

  static let path = "/privacy"

  /// `GET /privacy`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let renderer = PageRenderer(context)
    let parts: [(TextKey, [TextKey])] = [
      ("privacy.publicTitle", ["privacy.public", "privacy.hidden", "privacy.photo"]),
      ("privacy.deletingTitle", ["privacy.close", "privacy.erase", "privacy.draft"]),
      ("privacy.browserTitle", ["privacy.cookies", "privacy.storage", "privacy.position"]),
      ("privacy.othersTitle", ["privacy.address", "privacy.foreign"]),
    ]
    return renderer.page(
      "privacy",
      PrivacyView(
        parts: parts.map { title, texts in
          .init(title: renderer.words(title), texts: texts.map { renderer.words($0) })
        }, footer: FooterView(context.siteOperator)), PageHead(renderer.words("privacy.title")))
  }
}

/// The data of the page.
struct PrivacyView {
  struct Part {
    let title: String
    let texts: [String]
  }
  let parts: [Part]
  let footer: FooterView
}
