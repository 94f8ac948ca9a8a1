import Announcements
import Foundation
import HTTPClient

/// Sends one photo to an announcement. It sends pieces with tus 1.0.0, a protocol for resumable uploads, and continues
/// at the server's offset after each failure. If the server doesn't support tus, it sends the photo whole as a form.
struct PhotoUpload {
  /// The size of one request in bytes. If the connection breaks, the part that arrived still counts.
  static let piece = 1 << 20

  let connection: ServerConnection
  let owner: AnnouncementCredentials
  let file: PhotoFile
  let unfinished: UnfinishedUploads

  /// The announcement's URL, under which the unfinished upload is recorded.
  private var destination: String { "\(connection.address)/api/v1/announcements/\(owner.id)" }

  /// Sends the photo and returns when the announcement shows it.
  ///
  /// - Throws: `AnnouncementError`, or `PhotoError` if the photo is rejected.
  func send() async throws {
    var retries = Retries(waits: connection.waits)
    var upload = unfinished.upload(to: destination, sha256: file.photo.sha256)
    var (offset, furthest): (Int?, Int) = (nil, 0)
    while true {
      do {
        guard let address = upload else {
          guard let made = try await create() else { return try await sendWhole() }
          upload = made
          offset = 0
          recordAddress(made)
          continue
        }
        guard let start = offset else {
          // `nil` if the server no longer has this upload.
          offset = try await progress(of: address)
          if offset == nil { upload = nil }
          // Data that arrived before the connection broke counts as progress, too.
          if let offset, offset > furthest {
            furthest = offset
            retries.madeProgress()
          }
          continue
        }
        switch try await append(to: address, at: start) {
        case .safe(let safe) where safe == file.count: return recordAddress(nil)
        case .safe(let safe):
          offset = safe
          if safe > furthest {
            furthest = safe
            retries.madeProgress()
          }
          if safe > start { continue }
          try await retries.wait(
            after: TransientError(reason: "\(connection.address) accepts no data"))
        case .elsewhere(let safe) where safe > furthest:
          // More of an interrupted request arrived than the server had reported.
          offset = safe
          furthest = safe
          retries.madeProgress()
        case .elsewhere(let safe):
          offset = nil
          try await retries.wait(
            after: TransientError(
              reason: "\(connection.address) asked for byte \(safe) again", seconds: 1))
        case .unknown(let reason):
          offset = nil
          try await retries.wait(after: TransientError(reason: reason, seconds: 1))
        }
      } catch let error as TransientError {
        offset = nil
        try await retries.wait(after: error)
      } catch let error as PhotoRefusal {
        recordAddress(nil)
        throw error.cause
      }
    }
  }

  private func recordAddress(_ address: URL?) {
    unfinished.recordAddress(address, to: destination, sha256: file.photo.sha256)
  }

  /// Creates a tus request with the owner's credentials.
  private func request(
    _ method: String, _ url: URL, _ fields: [String: String] = [:], body: Data? = nil
  ) -> HTTPRequest {
    let own = ["Tus-Resumable": "1.0.0"].merging(owner.fields) { $1 }
    return HTTPRequest(
      method: method, url: url.absoluteString,
      headers: own.merging(fields) { $1 }.map { ($0, $1) }, body: body.map([UInt8].init))
  }

  /// Begins an upload (tus 1.0.0, Creation).
  ///
  /// - Returns: the upload's address, or `nil` if the server has no such resource.
  private func create() async throws -> URL? {
    let url = try connection.address.url("/api/v1/announcements/\(owner.id)/uploads")
    let answer = try await connection.sendOnce(
      request(
        "POST", url,
        [
          "Upload-Length": String(file.count),
          "Upload-Metadata": "filename " + Data(file.name.utf8).base64EncodedString(),
        ]))
    switch answer.status {
    case 201:
      guard
        let address = answer.headers["location"].flatMap({
          connection.address.url(location: $0, of: url)
        })
      else { throw AnnouncementError.unavailable("\(connection.address) didn't name the upload") }
      return address
    case 404, 405, 501: return nil
    default: throw answer.error(about: owner.id, of: connection.address)
    }
  }

  /// Returns the number of bytes that the server has stored (tus 1.0.0, HEAD), or `nil` if the upload no longer exists.
  private func progress(of address: URL) async throws -> Int? {
    let answer = try await connection.sendOnce(request("HEAD", address))
    switch answer.status {
    case 200, 204:
      guard let offset = answer.headers["upload-offset"].flatMap({ Int($0) }),
        (0...file.count).contains(offset)
      else { return nil }
      return offset
    case 404, 410: return nil
    case 423:
      throw TransientError(reason: "\(connection.address) is busy with this photo", seconds: 1)
    default: throw answer.error(about: owner.id, of: connection.address)
    }
  }

  /// The result of sending a piece.
  private enum Appended {
    /// The server has stored this many bytes. If these are all, the photo is confirmed.
    case safe(Int)
    /// The server expects the data from another offset.
    case elsewhere(Int)
    /// The offset is unknown, or the upload no longer exists. The client has to query it.
    case unknown(String)
  }

  /// The server processed the photo and rejected it.
  private struct PhotoRefusal: Error {
    let cause: any Error
  }

  /// Sends a piece (tus 1.0.0, PATCH). If all bytes have been sent, an empty piece queries the result.
  private func append(to address: URL, at offset: Int) async throws -> Appended {
    let body = try await file.bytes(from: offset, most: Self.piece)
    let answer = try await connection.sendOnce(
      request(
        "PATCH", address,
        ["Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream"],
        body: body))
    switch answer.status {
    case 200, 204:
      guard let safe = answer.headers["upload-offset"].flatMap({ Int($0) }) else {
        return .unknown("\(connection.address) didn't say how much was stored")
      }
      return .safe(safe)
    case 404, 423: return .unknown("\(connection.address) answered \(answer.status)")
    case 409, 410:
      if let expected = answer.headers["upload-offset"].flatMap({ Int($0) }),
        (0...file.count).contains(expected)
      {
        return .elsewhere(expected)
      }
      let error = answer.error(about: owner.id, of: connection.address)
      switch error {
      case AnnouncementError.duplicateMicrochip, AnnouncementError.closed,
        AnnouncementError.takenDown:
        throw PhotoRefusal(cause: error)
      case AnnouncementError.unavailable(let what): return .unknown(what)
      default: return .unknown("\(connection.address) answered \(answer.status)")
      }
    case 413, 415, 422:
      throw PhotoRefusal(cause: answer.error(about: owner.id, of: connection.address))
    default: throw answer.error(about: owner.id, of: connection.address)
    }
  }

  /// Sends the photo as a form (RFC 7578). Every attempt starts from the beginning.
  private func sendWhole() async throws {
    let boundary = "petspot-" + UUID().uuidString.lowercased()
    let head = """
      --\(boundary)\r
      Content-Disposition: form-data; name="photo"; filename="\(file.name)"\r
      Content-Type: application/octet-stream\r
      \r\n
      """
    let body =
      Data(head.utf8) + (try await file.bytes(from: 0, most: file.count))
      + Data("\r\n--\(boundary)--\r\n".utf8)
    let answer = try await connection.send(
      HTTPRequest(
        method: "POST",
        url: try connection.address.url("/api/v1/announcements/\(owner.id)/photos").absoluteString,
        headers: owner.fields.merging([
          "Content-Type": "multipart/form-data; boundary=\(boundary)"
        ]) { $1 }.map { ($0, $1) }, body: [UInt8](body)))
    guard answer.status == 201 else { throw answer.error(about: owner.id, of: connection.address) }
  }
}

extension AnnouncementCredentials {
  /// The header fields of requests that only the owner may send (RFC 7617).
  var fields: [String: String] {
    let text = Data("\(id):\(managementPassword)".utf8).base64EncodedString()
    return ["Authorization": "Basic " + text]
  }
}
