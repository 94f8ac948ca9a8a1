import Glibc
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The certificate that connections get, from files that may be renewed while the server runs.
final class Certificates: Sendable {
  private let files: (certificate: String, key: String)
  private let current: Mutex<(pair: Pair, stamp: [Int])>

  private struct Pair: Sendable {
    let chain: [NIOSSLCertificateSource]
    let key: NIOSSLPrivateKeySource
  }

  /// Reads the files.
  ///
  /// - Throws: what NIOSSL throws for a file that is missing or no PEM, and for a key of another
  ///   certificate.
  init(_ files: (certificate: String, key: String)) throws {
    self.files = files
    current = Mutex((try Self.read(files), Self.stamp(of: files)))
  }

  /// What connections need; each one gets the pair that was read last.
  func configuration() -> TLSConfiguration {
    var tls = Self.configuration(of: current.withLock { $0.pair })
    tls.sslContextCallback = { [self] _, answer in
      let pair = current.withLock { $0.pair }
      var now = NIOSSLContextConfigurationOverride()
      (now.certificateChain, now.privateKey) = (pair.chain, pair.key)
      answer.succeed(now)
    }
    return tls
  }

  /// Reads the files again when they have changed; until both fit each other the pair before serves.
  ///
  /// - Returns: whether there is another pair now.
  func renew() throws -> Bool {
    let stamp = Self.stamp(of: files)
    guard stamp != current.withLock({ $0.stamp }) else { return false }
    let pair = Result { try Self.read(files) }
    // One that cannot be used is told once.
    current.withLock { $0 = ((try? pair.get()) ?? $0.pair, stamp) }
    _ = try pair.get()
    return true
  }

  private static func read(_ files: (certificate: String, key: String)) throws -> Pair {
    let pair = Pair(
      chain: try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) },
      key: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
    // Tells that the key does not fit.
    _ = try NIOSSLContext(configuration: configuration(of: pair))
    return pair
  }

  private static func configuration(of pair: Pair) -> TLSConfiguration {
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: pair.chain, privateKey: pair.key)
    tls.minimumTLSVersion = .tlsv12
    tls.applicationProtocols = ["http/1.1"]
    return tls
  }

  /// Other numbers whenever a file is another one or was written.
  private static func stamp(of files: (certificate: String, key: String)) -> [Int] {
    [files.certificate, files.key].flatMap { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return [0] }
      return [
        Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
      ]
    }
  }
}

/// Looks every few seconds whether the certificate was renewed.
struct CertificateRenewing: Service {
  let certificates: Certificates
  let logger: Logger

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(2))
        do {
          if try certificates.renew() { logger.notice("certificate renewed") }
        } catch {
          logger.error("certificate not renewed", metadata: ["error": "\(error)"])
        }
      }
    }
  }
}
