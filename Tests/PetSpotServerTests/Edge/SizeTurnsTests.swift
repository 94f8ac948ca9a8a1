import Foundation
import ImageContainers
import TestPictures
import TestStores
import Testing

@testable import PetSpotServer
@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite

@Suite("Turns of sizes")
struct SizeTurnsTests {
  private let cache = TemporaryCache()
  private let original: PhotoAttachmentMetadata

  init() async throws {
    let photos = try await PhotoAttachmentCache.open(cache.folder, decoders: nil)
    original = try await photos.save(draft: "a") { .sample(1) }.photo
  }

  private func client(_ number: UInt8) -> ClientNetwork { .ipv4([192, 0, 2, number]) }

  /// A photo of its own with so many megapixels, for a size that is known by them.
  private func photo(_ megapixels: Int) -> PhotoAttachmentMetadata {
    var photo = original
    photo.id = UUID()
    (photo.blob.pixelWidth, photo.blob.pixelHeight) = (1_000_000, megapixels)
    return photo
  }

  /// Lets a client wait for a size of this photo.
  @discardableResult
  private func add(
    _ photo: PhotoAttachmentMetadata, _ client: UInt8, _ turns: inout SizeTurns
  ) -> SizeTurns.Waiter {
    let form = SizeForm.all(width: 1, height: 1)[0]
    let (key, waiter) = (PhotoSizeKey(photo: photo.id, name: form.name), turns.newWaiter())
    if !turns.join(key, waiter, self.client(client)) {
      turns.add(key, form, photo, waiter, self.client(client))
    }
    return waiter
  }

  /// What is made, one after the other, of pictures that are known by their megapixels.
  private func order(_ turns: inout SizeTurns) -> [Int] {
    var order: [Int] = []
    while let job = turns.next(ordinary: 1) {
      order.append(job.pixels / 1_000_000)
      _ = turns.finish(job)
    }
    return order
  }

  @Test("A size is made in the best turn of those who wait for it")
  func joining() {
    var turns = SizeTurns()
    let honest = photo(12)
    for megapixels in 20..<25 { add(photo(megapixels), 1, &turns) }
    add(honest, 1, &turns)
    add(photo(1), 2, &turns)
    add(honest, 3, &turns)
    // Who asked first, then those for whom nothing was decoded yet.
    #expect(order(&turns) == [20, 1, 12, 21, 22, 23, 24])
  }

  @Test("Turns are charged by pixels, and a newcomer comes before who had many")
  func charges() {
    var turns = SizeTurns()
    for megapixels in [40, 41, 42] { add(photo(megapixels), 1, &turns) }
    for _ in 0..<6 { add(photo(10), 2, &turns) }
    #expect(order(&turns).prefix(6) == [40, 10, 10, 10, 10, 41])
    var later = SizeTurns()
    for megapixels in [40, 41, 42] { add(photo(megapixels), 1, &later) }
    let first = later.next(ordinary: 1)
    #expect(first?.pixels == 40_000_000)
    add(photo(5), 3, &later)
    if let first { _ = later.finish(first) }
    #expect(order(&later) == [5, 41, 42])
  }

  @Test("Sizes of large pictures are made one at a time, beside those of ordinary ones")
  func large() {
    var turns = SizeTurns()
    for _ in 0..<3 { add(photo(196), 1, &turns) }
    let first = turns.next(ordinary: 1)
    #expect(first?.isLarge == true)
    #expect(turns.next(ordinary: 1)?.number == nil)
    add(photo(49), 2, &turns)
    let ordinary = turns.next(ordinary: 1)
    #expect(ordinary?.pixels == 49_000_000)
    add(photo(49), 2, &turns)
    #expect(turns.next(ordinary: 1)?.number == nil)
    if let ordinary { _ = turns.finish(ordinary) }
    #expect(turns.next(ordinary: 1)?.isLarge == false)
  }

  @Test("What nobody waits for is taken out, or given up, and its place is free once it has ended")
  func leaving() throws {
    var turns = SizeTurns()
    let (made, waiting) = (photo(60), photo(61))
    let one = add(made, 1, &turns)
    let two = add(made, 2, &turns)
    let three = add(waiting, 3, &turns)
    let first = turns.next(ordinary: 1)
    let job = try #require(first)
    #expect(turns.leave(three) == nil && turns.waiting.isEmpty)
    #expect(turns.leave(one) == nil)
    #expect(turns.leave(two) == job.number)
    // Who comes now has it made anew, by another decoder.
    let again = add(made, 4, &turns)
    #expect(turns.next(ordinary: 1)?.number == nil)
    #expect(turns.finish(job).isEmpty)
    let second = turns.next(ordinary: 1)
    let next = try #require(second)
    #expect(turns.finish(next) == [again])
  }
}
