import CDispatch  // declares `stat` for this module
import Glibc
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// The server's certificate and key, from files that may be renewed while the server runs.
final class Certificates: Sendable {
  private let files: (certificate: String, key: String)
  private let current: Mutex<(pair: Pair, stamp: [Int])>

  private struct Pair: Sendable {
    let chain: [NIOSSLCertificateSource]
    let key: NIOSSLPrivateKeySource
  }

  /// Reads the files.
  ///
  /// - Throws: `CertificateProblem` if a file is missing or isn't PEM, or if the key belongs to another certificate.
  init(_ files: (certificate: String, key: String)) throws(CertificateProblem) {
    self.files = files
    current = Mutex((try Self.readPair(files), Self.stamp(of: files)))
  }

  /// Returns the TLS settings. Each connection gets the pair that was read last.
  func configuration() -> TLSConfiguration {
    var tls = Self.configuration(of: current.withLock { $0.pair })
    tls.sslContextCallback = { [self] _, answer in
      let pair = current.withLock { $0.pair }
      var now = NIOSSLContextConfigurationOverride()
      now.certificateChain = pair.chain
      now.privateKey = pair.key
      answer.succeed(now)
    }
    return tls
  }

  /// Reads the files again if they have changed. The server keeps the previous pair until certificate and key match.
  ///
  /// - Returns: `true` if the pair was replaced.
  func renew() throws(CertificateProblem) -> Bool {
    let stamp = Self.stamp(of: files)
    guard stamp != current.withLock({ $0.stamp }) else { return false }
    let files = files
    let pair = Result { () throws(CertificateProblem) in try Self.readPair(files) }
    // Keep the new stamp even after a failure, so that an unusable pair is reported once.
    current.withLock { $0 = ((try? pair.get()) ?? $0.pair, stamp) }
    _ = try pair.get()
    return true
  }

  private static func readPair(
    _ files: (certificate: String, key: String)
  ) throws(CertificateProblem) -> Pair {
    for path in [files.certificate, files.key] {
      if let errno = errno(ofReading: path) { throw .unreadable(path: path, errno: errno) }
    }
    guard let chain = try? NIOSSLCertificate.fromPEMFile(files.certificate), !chain.isEmpty else {
      throw .noCertificate(path: files.certificate)
    }
    guard let key = try? NIOSSLPrivateKey(file: files.key, format: .pem) else {
      throw .noKey(path: files.key)
    }
    let pair = Pair(chain: chain.map { .certificate($0) }, key: .privateKey(key))
    // Fails if the key doesn't match.
    guard (try? NIOSSLContext(configuration: configuration(of: pair))) != nil else {
      throw .mismatch(certificate: files.certificate, key: files.key)
    }
    return pair
  }

  /// Returns the error of reading a file. `nil` if the file can be read.
  private static func errno(ofReading path: String) -> Int32? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return Glibc.errno }
    defer { close(file) }
    var byte: UInt8 = 0
    return Glibc.read(file, &byte, 1) < 0 ? Glibc.errno : nil
  }

  private static func configuration(of pair: Pair) -> TLSConfiguration {
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: pair.chain, privateKey: pair.key)
    tls.minimumTLSVersion = .tlsv12
    tls.applicationProtocols = ["http/1.1"]
    return tls
  }

  /// Returns numbers that change whenever a file is replaced or written.
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

/// Why a certificate and its key can't be used.
public enum CertificateProblem: Error, Sendable, Equatable {
  /// A file is missing or can't be read.
  case unreadable(path: String, errno: Int32)
  /// The certificate's file contains no certificate in PEM form.
  case noCertificate(path: String)
  /// The key's file contains no key in PEM form, or one that needs a passphrase.
  case noKey(path: String)
  /// The key belongs to another certificate.
  case mismatch(certificate: String, key: String)

  /// A message that names the file and explains what to do.
  public var sentence: String {
    switch self {
    case .unreadable(let path, let errno):
      "\(path) can't be read: \(String(cString: strerror(errno))). Check the path, and that the "
        + "server's user can read the file."
    case .noCertificate(let path):
      "\(path) holds no certificate in PEM form. Give the certificate with its chain to "
        + "--tls-certificate."
    case .noKey(let path):
      "\(path) holds no private key in PEM form, or one with a passphrase. Give the certificate's key, "
        + "without a passphrase, to --tls-key."
    case .mismatch(let certificate, let key):
      "The key in \(key) doesn't belong to the certificate in \(certificate). Give the key that "
        + "the certificate was made for to --tls-key; the certificate comes first in its file, "
        + "followed by its chain."
    }
  }
}

extension RepeatedWork {
  /// Returns work that checks every two seconds whether the certificate was renewed.
  static func renewing(_ certificates: Certificates, logger: Logger) -> Self {
    Self(description: "CertificateRenewing", pause: .seconds(2), delay: .seconds(2)) {
      do throws(CertificateProblem) {
        if try certificates.renew() { logger.notice("certificate renewed") }
      } catch {
        logger.error("certificate not renewed", metadata: ["error": "\(error.sentence)"])
      }
    }
  }
}
