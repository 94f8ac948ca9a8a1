import Foundation
import Hashing
import Testing

@Suite struct HashingTests {
  /// The examples of FIPS 180-4, from the CSRC's "SHA256.pdf".
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func sha256IsThatOfTheStandard(text: String, digest: String) {
    #expect(SHA256.digest(of: Array(text.utf8)).hexadecimal == digest)
  }

  @Test func piecesOfAnySizeHaveTheDigestOfTheWhole() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var hash = SHA256()
    var start = 0
    for size in [0, 1, 63, 64, 65, 128, 300, 379] {
      hash.add(Array(bytes[start..<start + size]))
      start += size
      // Reading the digest doesn't change the hash, and neither does adding to a copy.
      #expect(hash.digest == SHA256.digest(of: Array(bytes[..<start])))
      var copy = hash
      copy.add([1])
    }
    #expect(start == 1000 && hash.digest == SHA256.digest(of: bytes))
  }

  /// RFC 4231, test cases 1, 2 and 6.
  @Test func codesAreThoseOfTheStandard() {
    func code(_ message: String, _ key: [UInt8]) -> String {
      hmac(Array(message.utf8), key: key).hexadecimal
    }
    #expect(
      code("Hi There", Array(repeating: 0x0B, count: 20))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      code("what do ya want for nothing?", Array("Jefe".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      code(
        "Test Using Larger Than Block-Size Key - Hash Key First",
        Array(repeating: 0xAA, count: 131))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  /// RFC 1321, A.5.
  @Test func md5IsThatOfTheStandard() {
    #expect(md5([]).hexadecimal == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(md5(Array("message digest".utf8)).hexadecimal == "f96b697d7cb7938d525a2f31aaf161d0")
  }

  @Test func whatIsSameIsSame() {
    #expect(isSame([1, 2, 3], [1, 2, 3]) && isSame([], []))
    #expect(!isSame([1, 2, 3], [1, 2, 4]) && !isSame([1, 2], [1, 2, 3]))
  }
}
