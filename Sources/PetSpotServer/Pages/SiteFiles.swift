import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoUploads
import ReportFlow

/// The files that browsers and crawlers request by themselves.
struct SiteFiles: Sendable {

  private static let caching = "public, max-age=86400"

  var routes: [Route] {
    [
      Route.page(.get, "/robots.txt", takesTurn: false, needs: [], robots),
      Route.page(.get, "/favicon.ico", takesTurn: false, needs: []) {
        try Assets.sendFile("favicon.ico", $0, caching: Self.caching)
      },
      Route.page(.get, "/manifest.webmanifest", takesTurn: false, needs: [], manifest),
      Route.page(.get, "/worker.js", takesTurn: false, needs: []) {
        try Assets.sendFile("worker.js", $0, caching: "no-cache")
      },
      Route.page(.get, "/offline", offline),
    ]
  }

  /// `GET /robots.txt`: lets crawlers read announcements, but not steps and owners' pages.
  @Sendable func robots(_ context: RequestContext) async throws -> Response {
    let hidden = ["/api/", "/report", "/announcements/*/owner", "/offline"]
    let text = "User-agent: *\n" + hidden.map { "Disallow: \($0)\n" }.joined()
    return Response(
      status: .ok,
      headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: Self.caching],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// `GET /manifest.webmanifest`, with which a phone can add the site to its apps.
  @Sendable func manifest(_ context: RequestContext) async throws -> Response {
    let words = PageRenderer(context).words
    let icons = [
      Manifest.Icon(src: Assets.address("icon-192.png"), sizes: "192x192", purpose: "any"),
      Manifest.Icon(src: Assets.address("icon-512.png"), sizes: "512x512", purpose: "any maskable"),
    ]
    let manifest = Manifest(
      name: "PetSpot", lang: words.language.rawValue, description: words("landing.intro"),
      icons: icons)
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/manifest+json; charset=utf-8",
        .cacheControl: "private, no-cache",
        .vary: "Accept-Language, Cookie",
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: Response.encoded(manifest))))
  }

  private struct Manifest: Encodable {
    struct Icon: Encodable {
      let src, sizes, purpose: String
      var type = "image/png"
    }
    let name, lang, description: String
    let icons: [Icon]
    var short_name = "PetSpot"
    var id = "/"
    var start_url = "/"
    var scope = "/"
    var display = "minimal-ui"
    var background_color = "#fdfaf6"
    var theme_color = "#fdfaf6"
  }

  /// `GET /offline`: the page that a browser shows without a connection.
  @Sendable func offline(_ context: RequestContext) async throws -> Response {
    let renderer = PageRenderer(context)
    var head = PageHead(renderer.words("offline.title"))
    head.returnTo = "/"
    return renderer.page("offline", [String: String](), head)
  }
}
