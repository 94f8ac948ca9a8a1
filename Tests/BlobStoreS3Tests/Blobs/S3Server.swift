import BlobStoreS3
import Foundation
import Glibc
import HTTPClient
import Synchronization

/// A real S3 server: SeaweedFS, or OpenStack Swift if `PETSPOT_S3_SERVER` is `openstack`. It starts with the first test
/// that needs it and ends with this process.
final class S3Server: Sendable {
  private struct Facts: Decodable {
    var endpoint, bucket, accessKey, secretKey: String
  }

  private let facts: Facts
  /// The server's input. The server ends when it is closed, and the kernel closes it when this process ends.
  private let input: Int32

  static let shared = Result { try S3Server() }

  /// `true` for OpenStack Swift, which differs from other servers outside the rules of stores.
  static let isOpenStack =
    ProcessInfo.processInfo.environment["PETSPOT_S3_SERVER"] == "openstack"

  struct NotThere: Error, CustomStringConvertible {
    var description: String {
      "no S3 server; Scripts/s3-server --prepare\(S3Server.isOpenStack ? " --openstack" : "") installs it"
    }
  }

  private init() throws {
    var (toIt, fromIt) = ([Int32](repeating: -1, count: 2), [Int32](repeating: -1, count: 2))
    guard pipe(&toIt) == 0, pipe(&fromIt) == 0 else { throw NotThere() }
    for end in toIt + fromIt { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toIt[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromIt[1], 1)
    let command = ["Scripts/s3-server"] + (Self.isOpenStack ? ["--openstack"] : [])
    let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var pid = pid_t()
    guard posix_spawn(&pid, "Scripts/s3-server", &actions, nil, arguments, environ) == 0 else {
      throw NotThere()
    }
    close(toIt[0])
    close(fromIt[1])
    input = toIt[1]
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while Glibc.read(fromIt[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    guard let facts = try? JSONDecoder().decode(Facts.self, from: Data(line)) else {
      throw NotThere()
    }
    self.facts = facts
  }

  var keys: S3Credentials { S3Credentials(accessKey: facts.accessKey, secret: facts.secretKey) }

  /// Returns a value for `--blobs` with a prefix of its own.
  func url(_ prefix: String = UUID().uuidString) -> String {
    "s3://\(facts.bucket)/\(prefix)?endpoint=\(facts.endpoint)"
  }

  func client(
    _ transport: any HTTPTransport = CurlTransport(), url: String? = nil
  ) throws -> S3Client {
    S3Client(try S3Address(url ?? self.url()), keys: keys, transport: transport)
  }

  /// The environment for a command that uses this server.
  var environment: [String: String] {
    ["AWS_ACCESS_KEY_ID": facts.accessKey, "AWS_SECRET_ACCESS_KEY": facts.secretKey]
  }
}
