import Foundation
import ImageContainers
import Testing
import TestPictures

@testable import PhotoIngestion

/// Passes products directly to the proof, which must reject them whatever the stages before it accept.
@Suite("Proving products")
struct VerifierTests {
  private static func prepared(_ name: String) throws -> PreparedPhoto {
    let image = try #require(TestImage.all.first { $0.file == name })
    return try PhotoPipeline(decoding: .inProcess).prepare(image.source)
  }

  private static func verify(_ blob: EncodedPicture, _ bytes: [UInt8]) throws {
    _ = try Verifier.verify(
      bytes, format: blob.format, width: blob.pixelWidth, height: blob.pixelHeight,
      frames: blob.frameCount)
  }

  @Test("A product with anything besides its picture is an internal error")
  func planted() throws {
    let blob = try Self.prepared("baseline-420.jpg").blob
    try Self.verify(blob, blob.bytes)
    let comment: [UInt8] = [0xFF, 0xFE, 0, 6] + Array("text".utf8)
    let inside = Array(blob.bytes.dropLast(2)) + Array("text".utf8) + [0xFF, 0xD9]
    for bytes in [
      blob.bytes + Array("text".utf8),
      Array(blob.bytes.prefix(2)) + comment
        + blob.bytes.dropFirst(2), inside,
    ] {
      let error = #expect(throws: PhotoError.self) { try Self.verify(blob, bytes) }
      guard case .unverified(let what) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(what.hasPrefix("jpeg-"))
    }
    #expect(throws: PhotoError.unverified(what: "size")) {
      try Verifier.verify(blob.bytes, format: .jpeg, width: 63, height: 48, frames: 1)
    }
    #expect(throws: PhotoError.unverified(what: "frames")) {
      try Verifier.verify(blob.bytes, format: .jpeg, width: 64, height: 48, frames: 2)
    }
  }

  @Test(
    "Padding after the last code is removed from the blob, but no coefficient is",
    arguments: ["baseline-420.jpg", "large.jpg"], [UInt8(0), 0xFF])
  func padding(name: String, byte: UInt8) throws {
    let photo = try Self.prepared(name)
    let padding = Array(repeating: byte, count: 40)
    let padded = Array(photo.blob.bytes.dropLast(2)) + padding + [0xFF, 0xD9]
    let again = try PhotoPipeline(decoding: .inProcess).prepare(.bytes(padded, name: name))
    // A marker may follow any number of 0xFF, which aren't part of the data.
    let blob = byte == 0xFF ? photo.blob.bytes : try JPEGContainer.codedAnew(photo.blob.bytes)
    #expect(again.blob.bytes == blob)
    #expect(again.preview == photo.preview)
    #expect(again.perceptualHash == photo.perceptualHash)
  }

  @Test(
    "Text after the last code that is longer than a coder's padding is refused",
    arguments: ["baseline-420.jpg", "large.jpg"])
  func textBehindCodes(_ name: String) throws {
    let blob = try Self.prepared(name).blob
    let text = Array(String(repeating: "text", count: 10).utf8)
    let hidden = Array(blob.bytes.dropLast(2)) + text + [0xFF, 0xD9]
    #expect(throws: PhotoError.corrupt(what: "jpeg-surplus")) {
      try PhotoPipeline(decoding: .inProcess).prepare(.bytes(hidden, name: name))
    }
  }

  @Test("A photo with custom quantization steps keeps its data, and only its header is rewritten")
  func ownSteps() throws {
    let image = try #require(TestImage.all.first { $0.file == "baseline-420.jpg" })
    var bytes = try [UInt8](Data(contentsOf: image.url))
    let head: [UInt8] = [0xFF, 0xDB, 0, 67, 0]
    let table = try #require(bytes.indices.first { bytes[$0...].starts(with: head) })
    bytes[table + head.count + 63] += 1
    let clean = try ImageContainer.clean(bytes, as: .jpeg)
    #expect(throws: ProofError.self) { try ContainerProof.verify(clean, as: .jpeg) }
    let photo = try PhotoPipeline(decoding: .inProcess).prepare(.bytes(bytes, name: "steps.jpg"))
    #expect(photo.normalization.method == .carriedOver)
    let blob = photo.blob.bytes
    #expect(throws: Never.self) { try ContainerProof.verify(blob, as: .jpeg) }
    let scan = try #require(
      blob.indices.dropLast().last { blob[$0] == 0xFF && blob[$0 + 1] == 0xDA })
    #expect(clean.suffix(blob.count - scan).elementsEqual(blob[scan...]))
  }

  @Test(
    "The preview is the same whether it is made from verified pixels or by a decoder",
    arguments: [
      "orientation-1.png", "gray-1-bit.png", "gray-alpha.png", "palette.png",
      "palette-transparent.png", "color-key.png", "alpha.png",
    ])
  func previewOfEither(_ name: String) throws {
    let image = try #require(TestImage.all.first { $0.file == name })
    let decoded = try decoder(of: image)
    let photo = try PhotoPipeline(decoding: .inProcess).prepare(image.source)
    let thorough = try decoded(.codedAnew)
    #expect(photo.perceptualHash == thorough.facts.perceptualHash)
    #expect(try Verifier.clean(thorough.preview, as: photo.preview.format) == photo.preview.bytes)
    // Only the proof reads a large picture's data.
    #expect(try decoded(.asIs).preview.isEmpty)
  }

  @Test(
    "A large JPEG's preview is left to the proof, whether or not its codes were read before",
    arguments: ["large.jpg", "turned-large.jpg"])
  func previewOfJPEG(_ name: String) throws {
    let image = try #require(TestImage.all.first { $0.file == name })
    let decoded = try decoder(of: image)
    for depth in [CleaningDepth.asIs, .codedAnew] { #expect(try decoded(depth).preview.isEmpty) }
    #expect(try !PhotoPipeline(decoding: .inProcess).prepare(image.source).preview.bytes.isEmpty)
  }

  private func decoder(of image: TestImage) throws -> (CleaningDepth) throws -> DecodedPhoto {
    let received = try Receiver.receive(image.source, limit: PhotoPolicy().fileBytes)
    return { depth in try PhotoPipeline.decode(received, policy: .init(), depth: depth) { _, _ in }
    }
  }

  @Test(
    "Every byte of a JPEG matters: if it changes, the proof fails or the pixels do",
    arguments: ["baseline-420.jpg", "restart-interval.jpg", "odd-size.jpg"])
  func deadBytes(_ name: String) throws {
    let blob = try Self.prepared(name).blob
    let pixels = try PictureDecoder.pixelDigest(of: blob.bytes, as: .jpeg)
    var dead: [Int] = []
    for index in blob.bytes.indices {
      var bytes = blob.bytes
      bytes[index] ^= 0xFF
      guard (try? Self.verify(blob, bytes)) != nil else { continue }
      if (try? PictureDecoder.pixelDigest(of: bytes, as: .jpeg)) == pixels { dead.append(index) }
    }
    #expect(dead.isEmpty)
  }
}
