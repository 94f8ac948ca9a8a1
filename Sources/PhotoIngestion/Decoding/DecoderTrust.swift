/// Whose photos one worker may see, one after another.
///
/// A photo that takes a worker over gets out of no sandbox, but it stays in the worker: it sees each
/// photo that comes after it, and answers for it. What it can answer is a picture of that photo's
/// kind and size and no other (`DecoderPool+Work`), and its first answer out of turn ends it.
public enum DecoderTrust: Sendable, Equatable {
  /// Strangers' photos, as in a server: a worker serves one photo and is ended. The next one gets
  /// ready meanwhile, see `DecoderPool`.
  case strangers
  /// All photos belong to one person who trusts each of them with the others: those of one draft, or
  /// of a folder that is imported. A worker serves this many.
  case owner(photosPerWorker: Int)

  /// Photos after which a worker is replaced, at least 1.
  var photosPerWorker: Int {
    switch self {
    case .strangers: 1
    case .owner(let photos): max(1, photos)
    }
  }

  /// How much others go before its workers (setpriority(2)): one who asks a server for a page does not
  /// wait for another's photo.
  var niceness: Int32 {
    switch self {
    case .strangers: 10
    case .owner: 0
    }
  }
}
