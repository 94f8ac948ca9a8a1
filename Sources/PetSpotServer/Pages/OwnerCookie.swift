import Foundation
import HTTPTypes
import Hashing
import HummingbirdCore
import PhotoIngestion
import ReportFlow

/// The right to change one announcement, for 30 minutes and its owner's pages only. Holds the code, which
/// only this server can read: a browser keeps nothing that would be of use any longer.
struct OwnerCookie: Sendable {
  static let seconds = 1800

  let code: String

  /// Nil when the browser shows none for this announcement that is still good.
  init?(_ context: RequestContext, id: String, on site: Site, now: Date = Date()) async throws {
    let name = Self.name(isSecure: context.isSecure)
    let key = Array(try await site.drafts.secret())
    guard let value = Cookies.value(name, in: context.request.headers),
      let bytes = Data(base64URL: value).map(Array.init), bytes.count > 48,
      isSame(Array(bytes.suffix(32)), Self.signature(bytes.dropLast(32), id, key))
    else { return nil }
    let plain = Self.mixed(bytes[16..<bytes.count - 32], with: bytes.prefix(16), key)
    let parts = String(decoding: plain, as: UTF8.self).split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let end = Double(parts[0]), end > now.timeIntervalSince1970 else {
      return nil
    }
    code = String(parts[1])
  }

  /// Hands the right out.
  static func line(
    _ code: String, id: String, _ context: RequestContext, on site: Site, now: Date = Date()
  ) async throws -> String {
    let key = Array(try await site.drafts.secret())
    let nonce = randomBytes(16)
    let text = "\(Int(now.timeIntervalSince1970) + seconds) \(code)"
    let sealed = nonce + mixed(Array(text.utf8)[...], with: nonce[...], key)
    let value = Data(sealed + signature(sealed[...], id, key)).base64URL
    return line(value, seconds, id: id, isSecure: context.isSecure)
  }

  /// Takes it back.
  static func removal(_ context: RequestContext, id: String) -> String {
    line("", 0, id: id, isSecure: context.isSecure)
  }

  /// The bytes under a stream that the key and a nonce make, which is used once; twice gives them back.
  private static func mixed(
    _ bytes: ArraySlice<UInt8>, with nonce: ArraySlice<UInt8>, _ key: [UInt8]
  ) -> [UInt8] {
    var stream: [UInt8] = []
    while stream.count < bytes.count {
      stream += hmac(Array("owner stream \(stream.count):".utf8) + nonce, key: key)
    }
    return zip(bytes, stream).map { $0 ^ $1 }
  }

  private static func signature(
    _ bytes: ArraySlice<UInt8>, _ id: String, _ key: [UInt8]
  ) -> [UInt8] {
    Array(hmac(Array("owner \(id):".utf8) + bytes, key: key))
  }

  private static func name(isSecure: Bool) -> String { isSecure ? "__Secure-owner" : "owner" }

  private static func line(
    _ value: String, _ seconds: Int, id: String, isSecure: Bool
  ) -> String {
    Cookies.line(
      name(isSecure: isSecure), value, path: OwnerPage.path(id), seconds: seconds,
      sameSite: "Strict", isSecure: isSecure)
  }
}
