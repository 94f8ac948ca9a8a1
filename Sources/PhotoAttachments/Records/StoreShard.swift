/// A part of the store, which is divided into equal parts so that several machines can sweep or verify it together.
/// Each picture, and each photo with its blob, belongs to exactly one part, which the first two digits of the blob's
/// digest determine.
public struct StoreShard: Sendable, Equatable {
  /// The number of this part, starting at 1. The first part also includes the work that cannot be divided.
  public let number: Int
  /// The number of parts, at most 256.
  public let count: Int

  /// The whole store as one part.
  public static let whole = StoreShard(all: ())

  private init(all: Void) {
    number = 1
    count = 1
  }

  /// Creates part `number` of `count`. `nil` unless 1 ≤ number ≤ count ≤ 256.
  public init?(_ number: Int, of count: Int) {
    guard (1...256).contains(count), (1...count).contains(number) else { return nil }
    self.number = number
    self.count = count
  }

  /// Parses text such as `2/4`. `nil` if it is invalid.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, text.utf8.allSatisfy({ (47...57).contains($0) }),
      let number = Int(parts[0]), let count = Int(parts[1])
    else { return nil }
    self.init(number, of: count)
  }

  /// `true` if this part includes the work that cannot be divided.
  package var isFirst: Bool { number == 1 }

  /// Returns `true` if a digest belongs to this part. Text that isn't a digest belongs to the first part.
  package func contains(_ digest: some StringProtocol) -> Bool {
    Int(UInt8(digest.prefix(2), radix: 16) ?? 0) % count == number - 1
  }

  /// The first two digits of the digests that belong to this part.
  package var prefixes: [String] {
    (0..<256).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.filter(contains)
  }
}

extension StoreShard: CustomStringConvertible {
  /// The text form, such as `2/4`.
  public var description: String { "\(number)/\(count)" }
}
