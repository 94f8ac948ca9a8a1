import ArgumentParser
import Testing

@testable import petspot

@Suite struct ByteSizeTests {
  @Test(
    "A size is a number of bytes, or a number with a unit",
    arguments: [
      ("1", 1), ("20000000", 20_000_000), ("7B", 7), ("20MB", 20_000_000), ("20 mb", 20_000_000),
      ("20MiB", 20 << 20), ("10GB", 10_000_000_000), ("10G", 10_000_000_000), ("3kib", 3072),
      ("2TB", 2_000_000_000_000), ("9000000000000TB", Int.max),
    ])
  func sizes(_ text: String, _ bytes: Int) throws {
    #expect(try ByteSize.parse(text) == bytes)
  }

  @Test(
    "Other texts are not sizes",
    arguments: ["", "0", "-1", "x", "1.5GB", "1XB", "1 0", "GB", "1iB"])
  func none(_ text: String) {
    #expect(throws: ValidationError.self) { try ByteSize.parse(text) }
  }
}
