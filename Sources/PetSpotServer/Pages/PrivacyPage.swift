import HummingbirdCore
import ReportFlow

/// What happens to the data of reporters and readers; each sentence is true of this program.
struct PrivacyPage: Sendable {
  let site: Site

  static let path = "/privacy"

  /// `GET /privacy`
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let renderer = PageRenderer(context, on: site)
    let parts: [(TextKey, [TextKey])] = [
      (.privacyPublicTitle, [.privacyPublic, .privacyHidden, .privacyPhoto]),
      (.privacyDeletingTitle, [.privacyClose, .privacyErase, .privacyDraft]),
      (.privacyBrowserTitle, [.privacyCookies, .privacyStorage, .privacyPosition]),
      (.privacyOthersTitle, [.privacyAddress, .privacyForeign]),
    ]
    return renderer.page(
      "privacy",
      PrivacyView(
        parts: parts.map { title, texts in
          .init(title: renderer.words(title), texts: texts.map { renderer.words($0) })
        }, footer: FooterView(site.configuration)), PageHead(renderer.words(.privacyTitle)))
  }
}

/// What the page says.
struct PrivacyView {
  struct Part {
    let title: String
    let texts: [String]
  }
  let parts: [Part]
  let footer: FooterView
}
