import TestPictures
import Testing

@testable import PhotoAttachments

@Suite("Look-alikes")
struct HashIndexTests {
  /// Returns hashes of which half are close to a few others, and half are isolated.
  private func hashes(_ count: Int) -> [Int64] {
    var dice = SeededGenerator(state: 7)
    let centers = (0..<count / 10).map { _ in Int64.random(in: .min ... .max, using: &dice) }
    return (0..<count).map { number in
      guard number % 2 == 0 else { return Int64.random(in: .min ... .max, using: &dice) }
      return (0..<Int.random(in: 0...12, using: &dice)).reduce(centers[number % centers.count]) {
        hash, _ in hash ^ 1 << Int64.random(in: 0..<64, using: &dice)
      }
    }
  }

  @Test(
    "The index finds the same hashes as a full comparison",
    arguments: [0, 3, 4, 8, 10, 11, 15, 20, 64])
  func sameAsAll(distance: Int) {
    let hashes = hashes(4000)
    var index = HashIndex(distance: distance)
    var all: [Int64] = []
    for hash in hashes {
      let first = all.firstIndex { ($0 ^ hash).nonzeroBitCount <= distance }
      let found = index.find(hash)
      #expect(found?.number == first)
      #expect(found?.bits == first.map { (all[$0] ^ hash).nonzeroBitCount })
      if first == nil {
        index.append(hash)
        all.append(hash)
      }
    }
  }
}
