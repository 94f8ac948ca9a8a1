/// What travels between us and a worker: one JSON text and up to two runs of bytes, after a header of
/// 32 bytes (magic, kind, three byte counts).
struct DecoderFrame {
  var kind: Kind
  var json: [UInt8]
  var first: [UInt8] = []
  var second: [UInt8] = []

  enum Kind: UInt32 {
    /// From a worker that is caged and waits: `WorkerReady`.
    case ready = 1
    /// To a worker: `DecoderRequest` and the file.
    case request
    /// From a worker: a `PhotoStage` begins.
    case stage
    /// From a worker: the answer's facts and pictures.
    case answer
    /// From a worker: `DecoderRefusal`.
    case refusal
  }

  static let headerBytes = 32
  private static let magic: UInt32 = 0x5053_4431
  /// A peer that announces more than this is out of its mind.
  private static let maxJSON = 64 << 20
  private static let maxPart = 4 << 30

  var header: [UInt8] {
    var bytes: [UInt8] = []
    for value in [Self.magic, kind.rawValue] {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
    for count in [json.count, first.count, second.count] {
      withUnsafeBytes(of: UInt64(count).littleEndian) { bytes += $0 }
    }
    return bytes
  }

  /// What a header announces, nil when it is none.
  static func parse(_ header: [UInt8]) -> (kind: Kind, json: Int, first: Int, second: Int)? {
    guard header.count == headerBytes, let kind = Kind(rawValue: UInt32(number(header, 4, 4))),
      number(header, 0, 4) == UInt64(magic)
    else { return nil }
    let counts = [8, 16, 24].map { number(header, $0, 8) }
    guard counts[0] <= maxJSON, counts[1] <= maxPart, counts[2] <= maxPart else { return nil }
    return (kind, Int(counts[0]), Int(counts[1]), Int(counts[2]))
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
    bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
