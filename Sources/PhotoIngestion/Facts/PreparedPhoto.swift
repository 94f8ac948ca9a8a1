public import ImageContainers

/// What stages 0 to 5 make of a file: facts about it, the verified blob and its preview, all in
/// memory and not yet stored. The properties of the facts can be used directly.
@dynamicMemberLookup
public struct PreparedPhoto: Sendable, Equatable {
  /// What is known of the photo.
  public var facts: PhotoFacts
  /// The normalized picture, verified.
  public var blob: EncodedPicture
  /// The preview, upright, at most `PhotoPolicy.previewSide` pixels along its longer side.
  public var preview: EncodedPicture
  /// The size that stands for the photo where its link is shown (`SizeForm.shared`); nil where none was asked
  /// for.
  package var shared: EncodedPicture?
  /// What the picture looks like in 64 bits (`PerceptualHash`).
  public var perceptualHash: UInt64
  /// Where the original says it was taken. It is returned to the caller, and stored nowhere.
  public var position: EXIF.Position?

  /// A prepared photo.
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

  /// A fact of the photo.
  public subscript<Fact>(dynamicMember fact: KeyPath<PhotoFacts, Fact>) -> Fact {
    facts[keyPath: fact]
  }
}

/// An encoded picture, and what reading its bytes has verified about it.
public struct EncodedPicture: Sendable, Equatable {
  /// The whole file.
  public var bytes: [UInt8]
  /// JPEG, PNG, GIF or WebP.
  public var format: ImageFormat
  /// Pixels across.
  public var pixelWidth: Int
  /// Pixels down.
  public var pixelHeight: Int
  /// Frames a browser plays, 1 for a still picture.
  public var frameCount: Int
  /// SHA-256 of `bytes`, 64 lower-case hexadecimal digits.
  public var sha256: String

  /// An encoded picture.
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
