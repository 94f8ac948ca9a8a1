import Foundation

/// Who we are to a store of objects.
package struct S3Keys: Sendable {
  package let accessKey: String
  /// Never in an error, a log or an argument.
  let secret: String
  let sessionToken: String?

  package init(accessKey: String, secret: String, sessionToken: String? = nil) {
    (self.accessKey, self.secret, self.sessionToken) = (accessKey, secret, sessionToken)
  }

  /// The keys of `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, nil without
  /// one of the first two.
  package init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let accessKey = environment["AWS_ACCESS_KEY_ID"], !accessKey.isEmpty,
      let secret = environment["AWS_SECRET_ACCESS_KEY"], !secret.isEmpty
    else { return nil }
    let token = environment["AWS_SESSION_TOKEN"] ?? ""
    self.init(accessKey: accessKey, secret: secret, sessionToken: token.isEmpty ? nil : token)
  }
}
