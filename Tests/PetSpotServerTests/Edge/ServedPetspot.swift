import Foundation
import Glibc
import TestPictures
import Testing

/// A `petspot serve` process with a cache of its own. Both end with this object.
///
/// `@unchecked` because of `Process` and `Pipe`: only the test that created it, or `deinit`, ends the process.
final class ServedPetspot: LocalServer, @unchecked Sendable {
  let cache: URL
  let base: String
  private let process = Process()
  private let output = Pipe()

  /// - Parameters:
  ///   - errors: the file for the log; `nil` for the log of the tests.
  ///   - command: the command to start.
  init(
    _ arguments: [String] = [], command: String = "serve", cache: URL? = nil,
    errors: FileHandle? = nil
  ) throws {
    self.cache =
      cache
      ?? FileManager.default.temporaryDirectory.appending(path: "served-\(UUID().uuidString)")
    process.executableURL = URL(filePath: Petspot.path)
    process.arguments =
      [command, "--port", "0", "--json", "--cache", self.cache.path] + arguments
    process.standardOutput = output
    if let errors { process.standardError = errors }
    try process.run()
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
      line += byte
    }
    struct Listening: Decodable { let event, url: String }
    let told = try JSONDecoder().decode(Listening.self, from: line)
    #expect(told.event == "listening")
    base = told.url
  }

  deinit {
    if process.isRunning {
      process.terminate()
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: cache)
  }

  var port: Int { URL(string: base)?.port ?? 0 }

  /// Limits the size of files that the process can write, in bytes or `unlimited`.
  func limitFiles(to size: String) throws {
    let prlimit = Process()
    prlimit.executableURL = URL(filePath: "/usr/bin/prlimit")
    prlimit.arguments = ["--pid", "\(process.processIdentifier)", "--fsize=\(size):unlimited"]
    try prlimit.run()
    prlimit.waitUntilExit()
    #expect(prlimit.terminationStatus == 0)
  }

  /// Waits until the process ends by itself, and returns its exit code.
  func waitForEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Ends the process with a signal, and returns its exit code.
  func end(_ signal: Int32 = SIGTERM) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }
}

/// A response as a client receives it.
struct Answered {
  let status: Int
  let headers: [String: String]
  /// The values of all `Set-Cookie` fields.
  let cookies: [String]
  let body: Data
  /// The statuses of the interim responses before this one.
  private(set) var interim: [Int] = []

  /// Parses a response and the interim ones before it; `nil` if the bytes are not a response.
  init?(_ bytes: Data, isHead: Bool) {
    guard let first = Self(first: bytes) else { return nil }
    guard (102..<200).contains(first.status), !first.body.isEmpty else {
      self = first
      return
    }
    guard let last = Self(Data(first.body), isHead: isHead) else { return nil }
    self = last
    interim.insert(first.status, at: 0)
  }

  /// Parses only the first response of the bytes.
  private init?(first bytes: Data) {
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    self.status = status
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[String(parts[0])] =
        parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    }
    self.headers = headers
    cookies = lines.filter { $0.lowercased().hasPrefix("set-cookie: ") }.map {
      String($0.dropFirst("set-cookie: ".count))
    }
    body = bytes[end.upperBound...]
  }

  /// The body as a JSON object.
  var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:]
  }
  /// The members of the error.
  var error: [String: Any] { json["error"] as? [String: Any] ?? [:] }
  var code: String { error["code"] as? String ?? "" }

  func header(_ name: String) -> String? {
    headers.first { $0.key.lowercased() == name.lowercased() }?.value
  }
}

/// A server on a port of this machine.
protocol LocalServer {
  var port: Int { get }
}

extension LocalServer {
  /// Sends a request on a connection of its own. (Foundation's client handles 401 in its own way.)
  func send(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: Data? = nil,
    port other: Int? = nil
  ) async throws -> Answered {
    let port = other ?? port
    let url = URL(string: path)
    let target = url?.scheme == nil ? path : (url?.path ?? "/")
    let host = headers["Host"] ?? "127.0.0.1:\(port)"
    var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
    for (name, value) in headers where name != "Host" { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    let bytes = Data((head + "\r\n").utf8) + (body ?? Data())
    let answer = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try Self.exchange(bytes, port: port) })
      }
    }
    guard let answered = Answered(answer, isHead: method == "HEAD") else {
      throw POSIXError(.ECONNRESET)
    }
    return answered
  }

  /// Sends a part of a request's body and waits for the interim response, then breaks the connection.
  func sendPart(
    _ method: String, _ path: String, _ headers: [String: String], length: Int, _ part: Data
  ) async throws -> Answered {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    head += "Content-Length: \(length)\r\n\r\n"
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let file = FileHandle(fileDescriptor: socket, closeOnDealloc: true)
    #expect(try connectLoopback(socket, port: port) == 0)
    try file.write(contentsOf: Data(head.utf8))
    var answer = Data()
    while answer.suffix(4) != Data("\r\n\r\n".utf8) {
      guard let byte = try file.read(upToCount: 1), !byte.isEmpty else { break }
      answer += byte
    }
    try file.write(contentsOf: part)
    // The server reads all bytes before it notices the end of the connection.
    try file.close()
    return try #require(Answered(answer, isHead: true))
  }

  private static func exchange(_ bytes: Data, port: Int) throws -> Data {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let file = FileHandle(fileDescriptor: socket, closeOnDealloc: true)
    let connected = try connectLoopback(socket, port: port)
    guard connected == 0 else { throw POSIXError(.ECONNREFUSED) }
    try file.write(contentsOf: bytes)
    return try file.readToEnd() ?? Data()
  }
}

extension ServedPetspot {
  func post(
    _ path: String, json: [String: Any], _ headers: [String: String] = [:]
  ) async throws -> Answered {
    try await send(
      "POST", path, headers.merging(["Content-Type": "application/json"]) { a, _ in a },
      body: try JSONSerialization.data(withJSONObject: json))
  }

  /// The smallest valid body of a report.
  static var report: [String: Any] {
    [
      "ownerName": "Ola Nowak", "ownerPhone": "+48 600 111 222", "species": "dog",
      "breed": "Mongrel", "sex": "female", "dateOfDisappearance": "2026-01-05",
      "location": ["latitude": 52.2297, "longitude": 21.0122],
    ]
  }

  /// Creates an announcement, and returns its ID and the owner's request headers.
  func announce(_ change: [String: Any] = [:]) async throws -> (id: String, owner: [String: String])
  {
    let made = try await post(
      "/api/v1/announcements", json: Self.report.merging(change) { _, new in new })
    #expect(made.status == 201)
    let id = try #require(made.json["id"] as? String)
    let password = try #require(made.json["managementPassword"] as? String)
    return (id, Self.basic(id, password))
  }

  static func basic(_ user: String, _ password: String) -> [String: String] {
    ["Authorization": "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()]
  }

  /// Sends a photo as a form.
  func upload(
    _ photo: Data, to id: String, _ owner: [String: String], name: String = "rex.jpg",
    part: String = "photo"
  ) async throws -> Answered {
    try await upload(photo, to: id, owner, disposition: "name=\"\(part)\"; filename=\"\(name)\"")
  }

  /// Sends a photo as a form of one part with this disposition.
  func upload(
    _ photo: Data, to id: String, _ owner: [String: String], disposition: String
  ) async throws -> Answered {
    let head =
      "--b\r\nContent-Disposition: form-data; \(disposition)\r\nContent-Type: image/jpeg\r\n\r\n"
    return try await send(
      "POST", "/api/v1/announcements/\(id)/photos",
      owner.merging(["Content-Type": "multipart/form-data; boundary=b"]) { a, _ in a },
      body: Data(head.utf8) + photo + Data("\r\n--b--\r\n".utf8))
  }

  static func photo(_ name: String) throws -> Data {
    try Data(contentsOf: try #require(TestImage.all.first { $0.file == name }).url)
  }
}
