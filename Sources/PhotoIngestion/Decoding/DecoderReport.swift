/// What this machine's decoders can do, for `doctor`.
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
  /// The sandbox of a worker process; nil for this process.
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
    if problems.isEmpty, !VipsRuntime.loadsHEIC { problems.append("heif-loader") }
    return DecoderReport(
      vipsVersion: VipsRuntime.version, magicVersion: MagicSniffer.version,
      heifVersion: LibraryVersions.heif(loading: true), avcodecVersion: HEVCDecoder.version,
      loaders: VipsRuntime.loaders.values.sorted(), problems: problems)
  }
}
