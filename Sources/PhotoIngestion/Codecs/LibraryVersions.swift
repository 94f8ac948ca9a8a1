import CVips
import Glibc

/// Versions of the libraries of `PhotoForm.libraryNames`, of those that report one at run time.
enum LibraryVersions {
  /// The loaded libraries' versions; read once, after `VipsRuntime.start`. No file is opened: that is
  /// forbidden in a sandbox.
  static let current: [String: String] = {
    var versions = ["libvips": VipsRuntime.version]
    versions["libavcodec"] = HEVCDecoder.version
    versions["libheif"] = heif()
    versions["libwebp"] = version(of: "libwebp.so.7", "WebPGetEncoderVersion") {
      typealias Version = @convention(c) () -> Int32
      let number = unsafeBitCast($0, to: Version.self)()
      return "\(number >> 16).\(number >> 8 & 255).\(number & 255)"
    }
    return versions
  }()

  /// Returns version of libheif, which a module of libvips loads, so that we are not linked against it.
  ///
  /// - Parameter loading: loads it to ask, where files may be opened.
  static func heif(loading: Bool = false) -> String? {
    version(of: "libheif.so.1", "heif_get_version", loading: loading) {
      typealias Version = @convention(c) () -> UnsafePointer<CChar>?
      return unsafeBitCast($0, to: Version.self)().map { String(cString: $0) }
    }
  }

  private static func version(
    of library: String, _ function: String, loading: Bool = false,
    _ version: (UnsafeMutableRawPointer) -> String?
  ) -> String? {
    let mode = loading ? RTLD_LAZY : RTLD_LAZY | RTLD_NOLOAD
    guard let handle = dlopen(library, mode) else { return nil }
    defer { dlclose(handle) }
    return dlsym(handle, function).flatMap(version)
  }
}
