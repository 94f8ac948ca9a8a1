import CVips
import ImageContainers
import Logging
import Synchronization

/// Starts libvips once per process, with five loaders and nothing else.
enum VipsRuntime {
  /// The five loader families we unblock; a format's loader is called by name, never found by
  /// content, so that no other parser ever sees a byte.
  static let loaders: [ImageFormat: String] = [
    .jpeg: "VipsForeignLoadJpeg", .png: "VipsForeignLoadPng", .gif: "VipsForeignLoadNsgif",
    .webp: "VipsForeignLoadWebp", .heic: "VipsForeignLoadHeif",
  ]

  /// `false` in a worker that was started for a photo of another format. Set before the libraries are opened.
  static let decodesHEIC = Atomic(true)

  /// Whether the library is there; opens it, which takes longer than to decode a small photo.
  private static let isOpen = petspot_vips_open() == 0

  /// Nil once libvips runs.
  private static let problem: PhotoError.Fault? = {
    guard isOpen, petspot_init("petspot") == 0 else { return .libvipsStart }
    petspot_silence_log()
    // The code that libvips makes at run time needs memory that is written and run; a sandbox has none,
    // and results must not depend on where a photo is decoded.
    petspot_without_vector_code()
    if decodesHEIC.load(ordering: .relaxed), petspot_can_load_heif() == 0 {
      _ = petspot_load_heif_module()
    }
    petspot_block("VipsForeignLoad", 1)
    for family in loaders.values { petspot_block(family, 0) }
    // Every photo is decoded once: a cache of operations only keeps memory.
    petspot_without_cache()
    return nil
  }()

  /// Makes sure that libvips runs, with this many threads for a photo.
  static func start(threads: Int) throws(PhotoError) {
    if let problem { throw .fault(problem) }
    petspot_set_threads(Int32(clamping: threads))
  }

  /// The version of libvips, such as `8.14.1`.
  static var version: String { isOpen ? String(cString: petspot_version()) : "?" }

  /// Takes what libvips wrote to its error buffer, which is shared by all threads: for logs only.
  static func takeErrorText() -> String {
    guard let text = petspot_error_text() else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// Whether libvips found its loader of HEIC, and that a decoder.
  static var loadsHEIC: Bool { heifDecoders > 0 }
  /// Whether that decoder is libde265.
  static var hasLibde265: Bool { heifDecoders > 1 }

  /// Asked before a sandbox closes: it opens libheif's plugins.
  private static let heifDecoders = petspot_can_load_heif() != 0 ? petspot_heif_decodes() : 0
}

/// Where the texts of the C libraries go: to a log at debug level, never into a decision, because
/// libvips' error buffer is shared by all threads.
enum DecoderLog {
  private static let logger = Logger(label: "petspot.decoder")

  static func note(_ stage: String, _ text: String) {
    guard !text.isEmpty else { return }
    logger.debug("decoder refused", metadata: ["stage": "\(stage)", "text": "\(text)"])
  }
}
