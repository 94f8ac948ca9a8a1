import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import ReportFlow

/// Renders pages in the language of a request.
struct PageRenderer: Sendable {
  let words: Words
  /// The path and query of the request.
  let address: String
  /// `true` if the browser accepts gzip.
  private let takesGzip: Bool

  /// The start of URLs on the page.
  private let base: String
  private let siteOperator: SiteOperator

  init(_ context: RequestContext) {
    self.init(context.request, base: context.base, siteOperator: context.siteOperator)
  }

  init(_ request: Request, base: String, siteOperator: SiteOperator) {
    self.base = base
    self.siteOperator = siteOperator
    words = Words(Language(of: request.headers, orElse: siteOperator.language))
    takesGzip = Gzip.isAccepted(request.headers[.acceptEncoding] ?? "")
    address = request.uri.path + (request.uri.query.map { "?" + $0 } ?? "")
  }

  /// Renders a template in the layout of every page, and returns the page as a response.
  func page(
    _ template: String, _ content: Any, _ head: PageHead, share: ShareView? = nil,
    cookies: [String] = []
  ) -> Response {
    let title = head.errors.isEmpty ? head.title : words("page.errorTitle", ["title": head.title])
    let html = Templates.render(
      template,
      PageView(
        t: TemplateTexts(words), lang: words.language.rawValue, title: title,
        styles: Assets.address("petspot.css"), script: Assets.address("page.js"),
        icon: Assets.address("paw.svg"), touchIcon: Assets.address("icon-192.png"),
        paper: head.paper.map { Assets.address("\($0).css") },
        canonical: head.canonical.map { base + $0 }, feeds: head.feeds,
        photoScript: head.step == .photo ? Assets.address("photo-step.js") : nil,
        languages: LanguageView.all(current: words.language),
        isStep: head.step?.number != nil, returnTo: LocalPath(head.returnTo ?? address).text,
        progress: ProgressView(head.step, in: words), errors: head.errors,
        hasErrors: !head.errors.isEmpty, toast: head.toast,
        share: share, footer: FooterView(siteOperator), content: content))
    // The size of a compressed page reveals something about a secret if a stranger can choose other text on the page.
    // The summary contains a secret, so it isn't compressed.
    let packed = takesGzip && head.step != .summary ? Gzip.packed(Data(html.utf8)) : nil
    var response = Response(
      status: head.status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: head.caching,
        .contentLanguage: words.language.rawValue,
        .vary: "Accept-Language, Cookie, Accept-Encoding",
      ],
      body: ResponseBody(
        byteBuffer: packed.map { ByteBuffer(bytes: $0) } ?? ByteBuffer(string: html)))
    if packed != nil { response.headers[.contentEncoding] = "gzip" }
    for cookie in cookies { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
    return response
  }
}

extension Response {
  /// Redirects (303) after a posted form, so that the browser can reload the page without sending the form again.
  static func see(_ path: String, cookies: [String] = []) -> Response {
    var response = Response.empty(.seeOther, [.location: path, .cacheControl: "no-store"])
    for cookie in cookies { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
    return response
  }
}

/// A path on this server for redirects. Any other text becomes the start page.
struct LocalPath: Equatable {
  let text: String

  init(_ given: String) {
    // Browsers interpret `//host` and `/\host` as other servers.
    let isOwn =
      given.utf8.count <= 2000 && given.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && given.hasPrefix("/") && !given.hasPrefix("//") && !given.contains("\\")
    text = isOwn ? given : "/"
  }
}
