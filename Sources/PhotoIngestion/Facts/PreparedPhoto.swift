public import ImageContainers

/// The result of stages 0 to 5: facts about a file, the verified blob and its preview, all in memory and not yet
/// stored. The properties of the facts are also available directly.
@dynamicMemberLookup
public struct PreparedPhoto: Sendable, Equatable {
  /// The facts about the photo.
  public var facts: PhotoFacts
  /// The normalized and verified picture.
  public var blob: EncodedPicture
  /// The upright preview, at most `PhotoPolicy.previewSide` pixels along its longer side.
  public var preview: EncodedPicture
  /// The size that represents the photo in link previews (`SizeForm.shared`). `nil` if it was not requested.
  package var shared: EncodedPicture?
  /// The appearance of the picture in 64 bits (`PerceptualHash`).
  public var perceptualHash: UInt64
  /// The position at which the original was taken, according to the original. It is returned to the caller and never
  /// stored.
  public var position: EXIF.Position?

  package init(
    facts: PhotoFacts, blob: EncodedPicture, preview: EncodedPicture, perceptualHash: UInt64 = 0,
    position: EXIF.Position? = nil
  ) {
    self.facts = facts
    self.blob = blob
    self.preview = preview
    self.perceptualHash = perceptualHash
    self.position = position
  }

  /// Returns a fact about the photo.
  public subscript<Fact>(dynamicMember fact: KeyPath<PhotoFacts, Fact>) -> Fact {
    facts[keyPath: fact]
  }
}

/// An encoded picture with the facts that were verified by reading its bytes.
public struct EncodedPicture: Sendable, Equatable {
  /// The whole file.
  public var bytes: [UInt8]
  /// JPEG, PNG, GIF or WebP.
  public var format: ImageFormat
  /// The width in pixels.
  public var pixelWidth: Int
  /// The height in pixels.
  public var pixelHeight: Int
  /// The number of frames that a browser plays. 1 for a still picture.
  public var frameCount: Int
  /// The SHA-256 of `bytes` as 64 lowercase hexadecimal digits.
  public var sha256: String

  package init(
    bytes: [UInt8], format: ImageFormat, pixelWidth: Int, pixelHeight: Int, frameCount: Int,
    sha256: String
  ) {
    self.bytes = bytes
    self.format = format
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.frameCount = frameCount
    self.sha256 = sha256
  }
}
