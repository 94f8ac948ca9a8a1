/// One of several equal parts of what is stored, so that several machines can sweep or verify it
/// together. Each picture, and each photo with its blob, belongs to exactly one part, by the first
/// two digits of the blob's digest.
public struct StoreShard: Sendable, Equatable {
  /// Which one, from 1 on. The first one also does what cannot be divided.
  public let number: Int
  /// How many there are, at most 256.
  public let count: Int

  /// All there is.
  public static let whole = StoreShard(all: ())

  private init(all: Void) {
    number = 1
    count = 1
  }

  /// Part `number` of `count`; nil unless 1 ≤ number ≤ count ≤ 256.
  public init?(_ number: Int, of count: Int) {
    guard (1...256).contains(count), (1...count).contains(number) else { return nil }
    self.number = number
    self.count = count
  }

  /// What is written as `2/4`; nil when that is no part.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, text.utf8.allSatisfy({ (47...57).contains($0) }),
      let number = Int(parts[0]), let count = Int(parts[1])
    else { return nil }
    self.init(number, of: count)
  }

  /// Whether it does what cannot be divided.
  package var isFirst: Bool { number == 1 }

  /// Whether what begins with these digits belongs to it; what is no digest belongs to the first.
  package func contains(_ digest: some StringProtocol) -> Bool {
    Int(UInt8(digest.prefix(2), radix: 16) ?? 0) % count == number - 1
  }

  /// The beginnings of the digests that belong to it.
  package var beginnings: [String] {
    (0..<256).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.filter(contains)
  }
}

extension StoreShard: CustomStringConvertible {
  /// As it is written.
  public var description: String { "\(number)/\(count)" }
}
