/// Reads bits, the lowest of a byte first (RFC 9649, 3.2). After the end, all bits are zero.
struct VP8LProofReader {
  private let data: UnsafePointer<UInt8>
  private let fileEnd: Int
  private let end: Int
  private var position: Int
  private var bits: UInt64 = 0
  private var count = 0

  /// Creates a reader of `range`. The memory of `file` must outlive it.
  init(_ file: UnsafeBufferPointer<UInt8>, in range: Range<Int>) {
    data = file.baseAddress.unsafelyUnwrapped
    fileEnd = file.count
    position = range.lowerBound
    end = range.upperBound
  }

  /// Makes at least 48 bits available.
  @inline(__always)
  mutating func fill() {
    guard count < 48 else { return }
    if position &+ 8 <= fileEnd {
      bits |=
        UnsafeRawPointer(data + position).loadUnaligned(as: UInt64.self).littleEndian
        &<< UInt64(count)
      position &+= (63 &- count) &>> 3
      count |= 56
    } else {
      while count <= 56 {
        bits |= UInt64(position < fileEnd ? data[position] : 0) &<< UInt64(count)
        position &+= 1
        count &+= 8
      }
    }
  }

  @inline(__always)
  func peek(_ width: Int) -> Int { Int(truncatingIfNeeded: bits & ((1 &<< UInt64(width)) &- 1)) }

  @inline(__always)
  mutating func skip(_ width: Int) {
    bits &>>= UInt64(width)
    count &-= width
  }

  /// Reads up to 32 bits.
  @inline(__always)
  mutating func readBits(_ width: Int) -> Int {
    fill()
    defer { skip(width) }
    return peek(width)
  }

  var isOverrun: Bool { position * 8 - count > end * 8 }

  /// Checks that the data ends with the byte of the last bit, and that the rest of that byte is zero.
  func checkEnd() throws(ProofError) {
    let taken = position * 8 - count
    guard taken <= end * 8 else { throw failure("cut") }
    guard (taken + 7) / 8 == end, (data[end - 1] >> UInt8((taken + 7) % 8)) >> 1 == 0 else {
      throw ProofError("webp-vp8l-tail", offset: taken / 8)
    }
  }

  func failure(_ problem: String) -> ProofError {
    ProofError("webp-vp8l-\(problem)", offset: min(max(position - count / 8, 0), end))
  }
}
