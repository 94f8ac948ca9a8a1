import CVips
import Glibc

/// Versions of the libraries that make pictures, of those that tell one while they run.
enum LibraryVersions {
  /// Every name that there can be.
  static let names: Set<String> = ["libvips", "libheif", "libwebp", "libavcodec"]

  /// What this process has loaded; asked once, after `VipsRuntime.start`. No file is opened: that is
  /// forbidden in a cage.
  static let current: [String: String] = {
    var versions = ["libvips": VipsRuntime.version]
    versions["libavcodec"] = HEVCDecoder.version
    versions["libheif"] = ask("libheif.so.1", "heif_get_version") {
      typealias Version = @convention(c) () -> UnsafePointer<CChar>?
      return unsafeBitCast($0, to: Version.self)().map { String(cString: $0) }
    }
    versions["libwebp"] = ask("libwebp.so.7", "WebPGetEncoderVersion") {
      typealias Version = @convention(c) () -> Int32
      let number = unsafeBitCast($0, to: Version.self)()
      return "\(number >> 16).\(number >> 8 & 255).\(number & 255)"
    }
    return versions
  }()

  private static func ask(
    _ library: String, _ function: String, _ version: (UnsafeMutableRawPointer) -> String?
  ) -> String? {
    guard let handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD) else { return nil }
    defer { dlclose(handle) }
    return dlsym(handle, function).flatMap(version)
  }
}
