import Glibc
import PhotoUploads
import Synchronization

/// The `Date` field of responses (RFC 9110, 6.6.1), formatted once a second.
final class DateHeader: Sendable {
  private let last = Mutex((second: time_t(-1), text: ""))

  var text: String {
    let now = time(nil)
    return last.withLock { last in
      if last.second != now { last = (now, HTTPDate.text(of: now)) }
      return last.text
    }
  }
}
