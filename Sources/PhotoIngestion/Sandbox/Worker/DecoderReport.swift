/// The capabilities of this machine's decoders, for `doctor`.
package struct DecoderReport: Sendable, Equatable, Codable {
  package var vipsVersion: String
  package var magicVersion: String
  /// The version of libheif. `nil` if libvips found none.
  package var heifVersion: String?
  /// The version of FFmpeg's libavcodec, which decodes HEIC files from phones. `nil` if it is missing. libheif then
  /// decodes them and takes several times as long.
  package var avcodecVersion: String?
  /// The loader families that may run.
  package var loaders: [String]
  package var problems: [PhotoError.Fault]
  /// The sandbox of a worker process. `nil` for this process.
  package var sandbox: SandboxPosture?

  /// The reason why a worker's sandbox would be incomplete here. `nil` if it is complete.
  package var weakness: PhotoError.Fault? {
    problems.first {
      [.sandboxLandlock, .sandboxLimits, .sandboxSeccomp, .sandboxThreads].contains($0)
    }
  }

  /// Returns the report for the libraries in this process.
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
      heifVersion: LibraryVersions.heif(loading: VipsRuntime.loadsHEIC),
      avcodecVersion: HEVCDecoder.version,
      loaders: VipsRuntime.loaders.values.sorted(), problems: problems)
  }
}
