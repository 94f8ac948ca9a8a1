public import Foundation
import Glibc
import NIOCore
import ReportFlow
import ServiceLifecycle

/// The reason why a server could not start.
public enum ServerError: LocalizedError, Sendable, Equatable {
  /// Another program listens on the port, which `option` selects.
  case portTaken(host: String, port: Int, option: String)
  /// The port requires more privileges.
  case portForbidden(port: Int, option: String)
  /// The server can't listen on the address.
  case listening(host: String, reason: String, option: String)
  /// The certificate or its key can't be used.
  case certificate(CertificateProblem)

  /// The problem and what to do about it, in the language of this process.
  public var errorDescription: String? { message(in: .ofProcess) }

  func message(in words: Words) -> String {
    switch self {
    case .portTaken(let host, let port, let option):
      words(
        "command.error.portTaken", ["host": host, "port": "\(port)", "option": "--\(option)"])
    case .portForbidden(let port, let option):
      words("command.error.portForbidden", ["port": "\(port)", "option": "--\(option)"])
    case .listening(let host, let reason, let option):
      words(
        "command.error.notListening", ["host": host, "reason": reason, "option": "--\(option)"])
    case .certificate(let problem): problem.sentence
    }
  }

  /// The stable code for JSON.
  package var code: String {
    switch self {
    case .portTaken(_, _, "metrics-port"): "metrics-port-taken"
    case .portTaken: "port-taken"
    case .portForbidden: "port-forbidden"
    case .listening: "listening"
    case .certificate: "certificate"
    }
  }
}

/// A service that listens on a server's address. Its errors name the address and the option that selected it.
struct Listening: NamedService {
  private let server: any Service
  private let host: String
  private let port: Int
  /// The option that selects the port, without dashes.
  private let option: String

  init(_ server: any Service, on host: String, _ port: Int, _ option: String) {
    self.server = server
    self.host = host
    self.port = port
    self.option = option
  }

  func run() async throws {
    let hostOption = option.replacing("port", with: "host")
    do { try await server.run() } catch let error as IOError {
      switch error.errnoCode {
      case EADDRINUSE: throw ServerError.portTaken(host: host, port: port, option: option)
      case EACCES: throw ServerError.portForbidden(port: port, option: option)
      default:
        let reason = String(cString: strerror(error.errnoCode))
        throw ServerError.listening(host: host, reason: reason, option: hostOption)
      }
    } catch let error as SocketAddressError.UnknownHost {
      let reason = String(cString: gai_strerror(Int32(error.errorCode)))
      throw ServerError.listening(host: host, reason: reason, option: hostOption)
    }
  }
}
