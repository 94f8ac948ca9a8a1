import Foundation

/// Matches `If-None-Match` (RFC 9110, 13.1.2): `*` or a list of tags, compared weakly.
package enum EntityTags {
  package static func match(_ header: String, _ tag: String) -> Bool {
    if header.trimmingCharacters(in: .whitespaces) == "*" { return true }
    return header.split(separator: ",").contains {
      let given = $0.trimmingCharacters(in: .whitespaces)
      return (given.hasPrefix("W/") ? String(given.dropFirst(2)) : given) == tag
    }
  }
}
