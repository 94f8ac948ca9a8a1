import Logging

/// Where the texts of the C libraries go: to a log at debug level, never into a decision, because
/// libvips' error buffer is shared by all threads.
enum DecoderLog {
  private static let logger = Logger(label: "petspot.decoder")

  static func note(_ stage: String, _ text: String) {
    guard !text.isEmpty else { return }
    logger.debug("decoder refused", metadata: ["stage": "\(stage)", "text": "\(text)"])
  }
}
