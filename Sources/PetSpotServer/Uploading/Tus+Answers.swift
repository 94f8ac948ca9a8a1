import Foundation
import Glibc
import PhotoAttachments

extension Tus {
  /// Status and fields of an answer. Those of an error get their body elsewhere; all others have none.
  struct Answer: Sendable, Equatable {
    /// The HTTP status.
    var status: Int
    /// What belongs to the protocol; the rest is added elsewhere.
    var fields: [Field]
  }

  /// To `OPTIONS`: what is spoken here.
  ///
  /// - Parameter limit: bytes that a file may have.
  static func options(limit: Int) -> Answer {
    Answer(
      status: 204,
      fields: common + [
        Field("Tus-Version", version), Field("Tus-Extension", extensions),
        Field("Tus-Max-Size", String(limit)),
      ])
  }

  /// To a `POST` that made an upload. The offset shows clients that sent bytes along that none were
  /// taken.
  ///
  /// - Parameter location: the upload's address.
  static func created(_ upload: Upload, location: String) -> Answer {
    Answer(status: 201, fields: common + [Field("Location", location)] + progress(of: upload))
  }

  /// To `HEAD`.
  static func state(of upload: Upload) -> Answer {
    var fields = common + progress(of: upload)
    fields.append(Field("Upload-Length", String(upload.length)))
    if let name = upload.fileName {
      let value = Data(name.utf8).base64EncodedString()
      fields.append(Field("Upload-Metadata", value.isEmpty ? "filename" : "filename " + value))
    }
    return Answer(status: 200, fields: fields)
  }

  /// To a `PATCH` whose bytes are safe, and to the last one when the photo is confirmed.
  ///
  /// - Parameter upload: as it stands after it.
  static func appended(_ upload: Upload) -> Answer {
    Answer(status: 204, fields: common + progress(of: upload))
  }

  /// To `DELETE`.
  static let removed = Answer(status: 204, fields: common)

  /// To the last `PATCH`, when the photo was refused; the body stands beside it.
  static func refused(_ upload: Upload, status: Int) -> Answer {
    Answer(status: status, fields: common + progress(of: upload))
  }

  /// To `HEAD` of an upload whose photo was refused.
  static func refusedBefore(code: String) -> Answer {
    Answer(status: 410, fields: common + [Field("Upload-Error", code)])
  }

  /// To a request that is not understood.
  static func answer(to refusal: Refusal) -> Answer {
    switch refusal {
    case .version: Answer(status: 412, fields: common + [Field("Tus-Version", version)])
    case .mediaType: Answer(status: 415, fields: common)
    case .field: Answer(status: 400, fields: common)
    }
  }

  /// To a request that failed.
  ///
  /// An upload in use is 423: the stock client tus-js-client begins a new upload after any other
  /// failed `HEAD`, and tries again after this one.
  static func answer(to error: UploadError) -> Answer {
    var fields = common
    let status: Int
    switch error {
    case .notFound: status = 404
    case .expired: status = 410
    case .tooLarge, .pastLength: status = 413
    case .wrongOffset(let expected):
      status = 409
      fields.append(Field("Upload-Offset", String(expected)))
    case .cut: status = 409
    case .otherLength: status = 400
    case .inUse: (status, fields) = (423, fields + [Field("Retry-After", "1")])
    case .tooManyOpen(let seconds):
      (status, fields) = (429, fields + [Field("Retry-After", String(max(seconds, 1)))])
    case .busy: (status, fields) = (503, fields + [Field("Retry-After", "60")])
    case .storageFull: status = 507
    case .failed(_, let code) where [EMFILE, ENFILE, ENOMEM].contains(code):
      (status, fields) = (503, fields + [Field("Retry-After", "1")])
    case .failed: status = 500
    }
    return Answer(status: status, fields: fields)
  }

  /// A moment as HTTP writes it (RFC 9110 5.6.7, IMF-fixdate), such as
  /// `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func date(_ date: Date) -> String {
    var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func digits(_ number: Int32, _ count: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
    return "\(days[Int(parts.tm_wday)]), \(digits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(digits(parts.tm_year + 1900, 4)) "
      + "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec)) GMT"
  }

  /// What every answer has.
  private static let common = [Field("Tus-Resumable", version), Field("Cache-Control", "no-store")]

  private static func progress(of upload: Upload) -> [Field] {
    var fields = [Field("Upload-Offset", String(upload.offset))]
    // What is finished expires no more.
    if upload.outcome == nil { fields.append(Field("Upload-Expires", date(upload.expires))) }
    return fields
  }
}
