import CVips
import Glibc

/// What the machine's decoders can do, for `doctor`.
public struct DecoderReport: Sendable, Equatable, Codable {
  /// Version of libvips.
  public var vipsVersion: String
  /// Version of libmagic.
  public var magicVersion: String
  /// Version of libheif, nil when libvips found none.
  public var heifVersion: String?
  /// Version of FFmpeg's libavcodec, which decodes phones' HEIC; nil when it is not there, and
  /// libheif decodes them, which takes several times as long.
  public var avcodecVersion: String?
  /// The loader families that may run.
  public var loaders: [String]
  /// Stable words for what is missing: `libvips-start`, `libmagic-database`, `heif-loader`.
  public var problems: [String]
  /// The cage of a worker process; nil for this process.
  public var sandbox: SandboxPosture?

  /// Asks the libraries of this process.
  public static func current() -> DecoderReport {
    var problems: [String] = []
    do throws(PhotoError) { try VipsRuntime.start(threads: 1) } catch {
      if case .fault(let what) = error { problems.append(what) }
    }
    do throws(PhotoError) { _ = try MagicSniffer.mediaType(of: [0]) } catch {
      if case .fault(let what) = error { problems.append(what) }
    }
    if problems.isEmpty, petspot_can_load_heif() == 0 { problems.append("heif-loader") }
    return DecoderReport(
      vipsVersion: VipsRuntime.version, magicVersion: MagicSniffer.version,
      heifVersion: heifVersion, avcodecVersion: HEVCDecoder.version,
      loaders: VipsRuntime.loaders.values.sorted(), problems: problems)
  }

  /// libheif is loaded by a module of libvips, so that we are not linked against it.
  private static var heifVersion: String? {
    typealias Version = @convention(c) () -> UnsafePointer<CChar>?
    guard let library = dlopen("libheif.so.1", RTLD_LAZY) else { return nil }
    defer { dlclose(library) }
    guard let symbol = dlsym(library, "heif_get_version") else { return nil }
    return unsafeBitCast(symbol, to: Version.self)().map { String(cString: $0) }
  }
}
