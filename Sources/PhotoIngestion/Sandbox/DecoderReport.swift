/// What this machine's decoders can do, for `doctor`.
package struct DecoderReport: Sendable, Equatable, Codable {
  /// Version of libvips.
  package var vipsVersion: String
  /// Version of libmagic.
  package var magicVersion: String
  /// Version of libheif, nil when libvips found none.
  package var heifVersion: String?
  /// Version of FFmpeg's libavcodec, which decodes phones' HEIC; nil when it is not there, and
  /// libheif decodes them, which takes several times as long.
  package var avcodecVersion: String?
  /// The loader families that may run.
  package var loaders: [String]
  /// What is missing.
  package var problems: [PhotoError.Fault]
  /// The sandbox of a worker process; nil for this process.
  package var sandbox: SandboxPosture?

  /// Why the sandbox of a worker would not be whole here; nil when it is.
  package var weakness: PhotoError.Fault? {
    problems.first {
      [.sandboxLandlock, .sandboxLimits, .sandboxSeccomp, .sandboxThreads].contains($0)
    }
  }

  /// Asks the libraries of this process.
  package static func current() -> DecoderReport {
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
      heifVersion: LibraryVersions.heif(loading: VipsRuntime.loadsHEIC), avcodecVersion: HEVCDecoder.version,
      loaders: VipsRuntime.loaders.values.sorted(), problems: problems)
  }
}
