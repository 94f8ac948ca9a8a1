/// Defines which photos may share a decoder process.
///
/// A photo that takes over its worker cannot leave the sandbox. It can, however, read and answer for later photos in
/// the same worker. Such an answer must be a picture with the format and size of the later photo (`ResponseCheck`), and
/// the first wrong answer ends the worker.
public enum DecoderTrust: Sendable, Equatable {
  /// The photos belong to different people, as in a server. A worker decodes one photo and is ended. The next worker
  /// starts in the meantime. See `DecoderPool`.
  case strangers
  /// All photos belong to one person, such as those of a draft or an imported folder. A worker decodes this many.
  case owner(photosPerWorker: Int)

  /// The number of photos after which a worker is replaced, at least 1.
  var photosPerWorker: Int {
    switch self {
    case .strangers: 1
    case .owner(let photos): max(1, photos)
    }
  }

  /// The niceness of the workers (setpriority(2)), so that a server's pages take precedence over photos.
  var niceness: Int32 {
    switch self {
    case .strangers: 10
    case .owner: 0
    }
  }
}
