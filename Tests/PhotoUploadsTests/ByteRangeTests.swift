import PhotoUploads
import Testing

@Suite("Ranges of bytes")
struct ByteRangeTests {
  @Test(
    "One range is cut to the bytes that there are",
    arguments: [
      ("bytes=0-0", 0..<1), ("bytes=2-4", 2..<5), ("bytes=7-", 7..<10), ("bytes=-3", 7..<10),
      ("bytes=0-99", 0..<10), ("bytes=-99", 0..<10), ("Bytes=9-9", 9..<10),
      ("bytes=1-99999999999999999999", 1..<10),
    ])
  func parts(_ header: String, _ range: Range<Int>) {
    #expect(ByteRange(header, count: 10) == .part(range))
  }

  @Test(
    "A range beyond the last byte can't be satisfied",
    arguments: ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999999999999-"])
  func unsatisfiable(_ header: String) {
    #expect(ByteRange(header, count: 10) == .unsatisfiable)
  }

  @Test(
    "Anything else means all bytes",
    arguments: [
      nil, "", "bytes", "bytes=", "bytes=-", "bytes=5-1", "bytes=0-1,3-4", "bytes=x-", "bytes=1-x",
      "bytes=+1-2", "bytes= 1-2", "items=0-1", "bytes=1", "bytes=--1",
    ])
  func whole(_ header: String?) { #expect(ByteRange(header, count: 10) == .whole) }

  @Test("An empty picture has no bytes in any range")
  func empty() {
    #expect(ByteRange("bytes=0-", count: 0) == .unsatisfiable)
    #expect(ByteRange("bytes=-1", count: 0) == .unsatisfiable)
  }
}
