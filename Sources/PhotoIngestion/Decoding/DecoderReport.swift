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
  /// What is missing.
  public var problems: [PhotoError.Fault]
  /// The sandbox of a worker process; nil for this process.
  public var sandbox: SandboxPosture?

  /// Asks the libraries of this process.
  public static func current() -> DecoderReport {
    var problems: [PhotoError.Fault] = []
    do throws(PhotoError) { try VipsRuntime.start(threads: 1) } catch {
      if case .fault(let problem) = error { problems.append(problem) }
    }
    do throws(PhotoError) { _ = try MagicSniffer.mediaType(of: [0]) } catch {
      if case .fault(let problem) = error { problems.append(problem) }
    }
    if problems.isEmpty, !VipsRuntime.loadsHEIC { problems.append(.heifLoader) }
    return DecoderReport(
      vipsVersion: VipsRuntime.version, magicVersion: MagicSniffer.version,
      heifVersion: LibraryVersions.heif(loading: true), avcodecVersion: HEVCDecoder.version,
      loaders: VipsRuntime.loaders.values.sorted(), problems: problems)
  }
}
