/// Whose photos one decoder process may see.
///
/// A photo that takes over its worker cannot leave the sandbox, but it stays in the worker: it sees each
/// later photo there, and can answer for it. Such an answer has to be a picture of that photo's format
/// and size (`ResponseCheck`), and the first wrong one ends the worker.
public enum DecoderTrust: Sendable, Equatable {
  /// Photos of different people, as in a server: a worker decodes one photo and is ended. The next one
  /// starts in the meantime, see `DecoderPool`.
  case strangers
  /// All photos belong to one person: those of one draft, or of a folder that is imported. A worker
  /// decodes this many.
  case owner(photosPerWorker: Int)

  /// Photos after which a worker is replaced, at least 1.
  var photosPerWorker: Int {
    switch self {
    case .strangers: 1
    case .owner(let photos): max(1, photos)
    }
  }

  /// The workers' niceness (setpriority(2)): a server's pages do not wait for photos.
  var niceness: Int32 {
    switch self {
    case .strangers: 10
    case .owner: 0
    }
  }
}
