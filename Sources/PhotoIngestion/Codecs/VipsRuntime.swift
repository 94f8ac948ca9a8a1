import CVips
import ImageContainers
import Logging
import Synchronization

/// Starts libvips once per process, with only five loaders.
enum VipsRuntime {
  /// The five loader families that are unblocked. A loader is always chosen by format and never by content, so that
  /// only one parser sees the bytes.
  static let loaders: [ImageFormat: String] = [
    .jpeg: "VipsForeignLoadJpeg", .png: "VipsForeignLoadPng", .gif: "VipsForeignLoadNsgif",
    .webp: "VipsForeignLoadWebp", .heic: "VipsForeignLoadHeif",
  ]

  /// `false` in a worker that was started for a photo of another format. The worker sets it before it opens libraries.
  static let decodesHEIC = Atomic(true)

  /// `true` if the library could be opened. Opening takes longer than decoding a small photo.
  private static let isOpen = petspot_vips_open() == 0

  /// The reason why libvips could not be started. `nil` if it runs. First use starts it.
  private static let problem: PhotoError.Fault? = {
    guard isOpen, petspot_init("petspot") == 0 else { return .libvipsStart }
    petspot_silence_log()
    // Code that libvips generates at run time needs memory that is both writable and executable. The sandbox forbids
    // that, and results must not depend on where a photo is decoded.
    petspot_without_vector_code()
    if decodesHEIC.load(ordering: .relaxed), petspot_can_load_heif() == 0 {
      _ = petspot_load_heif_module()
    }
    petspot_block("VipsForeignLoad", 1)
    for family in loaders.values { petspot_block(family, 0) }
    // Every photo is decoded once, so an operation cache would only use memory.
    petspot_without_cache()
    return nil
  }()

  /// Starts libvips if necessary, and sets the number of threads per photo.
  static func start(threads: Int) throws(PhotoError) {
    if let problem { throw .fault(problem) }
    petspot_set_threads(Int32(clamping: threads))
  }

  /// The version of libvips, such as `8.14.1`.
  static var version: String { isOpen ? String(cString: petspot_version()) : "?" }

  /// Returns and clears libvips' error buffer. Use it only for logs, because all threads share the buffer.
  static func takeErrorText() -> String {
    guard let text = petspot_error_text() else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// `true` if libvips found its HEIC loader, and the loader found a decoder.
  static var loadsHEIC: Bool { heifDecoders > 0 }
  /// `true` if that decoder is libde265.
  static var hasLibde265: Bool { heifDecoders > 1 }

  /// Computed before the sandbox closes, because it opens libheif's plugins.
  private static let heifDecoders = petspot_can_load_heif() != 0 ? petspot_heif_decodes() : 0
}

/// Logs the texts of the C libraries at debug level. They never affect a decision, because all threads share libvips'
/// error buffer.
enum DecoderLog {
  private static let logger = Logger(label: "petspot.decoder")

  static func recordProblem(_ stage: String, _ text: String) {
    guard !text.isEmpty else { return }
    logger.debug("decoder refused", metadata: ["stage": "\(stage)", "text": "\(text)"])
  }
}
