import CVips
import Glibc
import ImageContainers

/// The versions of those libraries in `PhotoForm.libraryNames` that report one at run time.
enum LibraryVersions {
  /// Returns the versions of the libraries that photos of a format are decoded and encoded with. They don't depend on
  /// what else the process has loaded.
  static func used(for format: ImageFormat) -> [String: String] {
    format == .heic ? known : known.filter { !["libheif", "libavcodec"].contains($0.key) }
  }

  /// The versions of the loaded libraries. Computed once, after `VipsRuntime.start`. Opens no file, because the sandbox
  /// forbids that.
  static let known: [String: String] = {
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

  /// Returns the version of libheif. A libvips module loads that library, so this program is not linked against it.
  ///
  /// - Parameter loading: `true` loads the library if necessary. Only possible if files may be opened.
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
