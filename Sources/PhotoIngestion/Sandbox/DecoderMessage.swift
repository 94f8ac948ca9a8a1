/// A message between this process and a worker: a header of 40 bytes (magic, kind, three byte counts, ticket), a JSON
/// text and up to two byte arrays.
package struct DecoderMessage {
  var kind: Kind
  var json: [UInt8]
  /// The file of a request, or the blob or pictures of an answer.
  package var first: [UInt8] = []
  /// The preview, if the answer contains a blob.
  var second: [UInt8] = []
  /// A random number for each request, repeated in every message of its response. Data that was written before the
  /// request therefore cannot pass as its answer.
  package var ticket: UInt64 = 0

  package init(
    kind: Kind, json: [UInt8], first: [UInt8] = [], second: [UInt8] = [], ticket: UInt64 = 0
  ) {
    self.kind = kind
    self.json = json
    self.first = first
    self.second = second
    self.ticket = ticket
  }

  package enum Kind: UInt32 {
    /// From a worker that is sandboxed and waiting: `WorkerReady`.
    case ready = 1
    /// To a worker: `DecoderRequest` and the file.
    case request
    /// From a worker at the start of a `PhotoStage`: `StageReport`.
    case stage
    /// From a worker: the facts and pictures of the answer.
    case answer
    /// From a worker: `DecoderRefusal`.
    case refusal
  }

  /// The maximum size in bytes of each part of a message.
  struct Bounds: Equatable {
    var json: Int
    var first = 0
    var second = 0

    /// The bounds of a kind of message that is not allowed now. No message fits.
    static let none = Bounds(json: -1)
    /// The bounds that a worker uses, because it trusts its host.
    static let any = Bounds(json: 64 << 20, first: 4 << 30, second: 4 << 30)

    func holds(_ header: Header) -> Bool {
      header.json <= json && header.first <= first && header.second <= second
    }
  }

  struct Header {
    var kind: Kind
    var json: Int
    var first: Int
    var second: Int
    var ticket: UInt64
  }

  static let headerBytes = 40
  private static let magic: UInt32 = 0x5053_4432

  package var header: [UInt8] {
    var bytes: [UInt8] = []
    for value in [Self.magic, kind.rawValue] {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
    for number in [UInt64(json.count), UInt64(first.count), UInt64(second.count), ticket] {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
    return bytes
  }

  static func parse(_ header: [UInt8]) -> Header? {
    guard header.count == headerBytes, let kind = Kind(rawValue: UInt32(number(header, 4, 4))),
      number(header, 0, 4) == UInt64(magic)
    else { return nil }
    let counts = [8, 16, 24].map { number(header, $0, 8) }
    guard counts.allSatisfy({ $0 <= UInt64(Int.max) }) else { return nil }
    return Header(
      kind: kind, json: Int(counts[0]), first: Int(counts[1]), second: Int(counts[2]),
      ticket: number(header, 32, 8))
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
    bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
