/// The facts about a picture that can be read from the file without decoding pixels.
public struct ImageFacts: Sendable, Equatable, Codable {
  /// The container's format.
  public var format: ImageFormat
  /// The width in pixels as the decoder delivers it, before `orientation` is applied. In a HEIC, decoding includes
  /// `clap`, `irot` and `imir` (ISO 23008-12, 6.5).
  public var storedWidth: Int
  /// The height in pixels, like `storedWidth`.
  public var storedHeight: Int
  /// The EXIF orientation, 1 to 8, that turns the picture upright. It is 1 if it is missing or out of range, and always
  /// for HEIC.
  public var orientation = 1
  /// The mirroring of a HEIC that the cleaned file leaves out, as EXIF orientation 2 or 4. 1 if nothing is left out. It
  /// is left out because libheif 1.15 cannot mirror more than 8 bits. It doesn't change the size.
  package var remainingMirroring = 1
  /// The pixels of all layers of a HEIC overlay (`iovl`), or 0 for any other picture.
  package var layerPixels = 0
  /// The number of frames that a browser plays. It is 1 for still pictures and always for HEIC.
  public var frameCount = 1
  /// The number of frames in the file if it has more than `frameCount`, otherwise `nil`. The surplus frames are left
  /// out.
  public var fileFrameCount: Int?
  /// The number of times that an animation plays, or 0 for endless. `nil` for a still picture.
  public var loopCount: Int?
  /// The number of bits per sample.
  public var bitDepth = 8
  /// The way in which samples form a color.
  public var colorModel = ColorModel.rgb
  /// `true` if pixels can be transparent.
  public var hasAlpha = false
  /// The color space that the container declares.
  public var colorTag = ColorTag.untagged
  /// `true` if chroma is stored at a lower resolution than luma (JPEG, WebP, and HEIC with 4:2:0 that isn't an
  /// overlay).
  public var chromaSubsampled = false
  /// The EXIF data, or `nil` if the file has none.
  public var exif: EXIF?
  /// `true` if EXIF or XMP contains the place where the picture was taken.
  public var hasLocation = false
  /// All parts of the file that aren't the picture, in file order.
  public var parts: [ContainerPart] = []
  /// The kinds of coding that browsers don't support or that must be re-encoded, as stable words, such as
  /// `arithmetic-coding` or `12-bit`. Empty for ordinary pictures.
  public var oddities: [String] = []
  /// The repairs of a rewrite, as stable words: `heif-multi-cdsc`, or a part that is missing after the last pixel, such
  /// as `gif-trailer` (decision 46).
  public var repairs: [String] = []
  /// The losses besides `parts`: `frames` that are missing or damaged, or the whole `animation` after its first frame.
  public var losses: [String] = []

  /// Creates facts of a picture with this format and stored size in pixels.
  package init(format: ImageFormat, storedWidth: Int, storedHeight: Int) {
    self.format = format
    self.storedWidth = storedWidth
    self.storedHeight = storedHeight
  }

  /// The EXIF orientation, 1 to 8, to apply to the decoded cleaned file.
  package var orientationToApply: Int { format.orientsItself ? remainingMirroring : orientation }
  /// The width in pixels of the upright picture.
  public var uprightWidth: Int { orientation >= 5 ? storedHeight : storedWidth }
  /// The height in pixels of the upright picture.
  public var uprightHeight: Int { orientation >= 5 ? storedWidth : storedHeight }
}

/// The way in which the samples of a pixel form a color.
public enum ColorModel: String, Sendable, Equatable, Codable {
  case gray, rgb, palette, cmyk
}

/// The color space that a file declares.
public enum ColorTag: Sendable, Equatable, Codable {
  /// No declaration. All browsers use sRGB then.
  case untagged
  /// A PNG's sRGB marker, or equivalent values (gAMA 45455 with the cHRM of sRGB).
  case sRGB
  /// The raw bytes of an embedded ICC profile, not validated yet.
  case profile([UInt8])
  /// PNG gAMA and cHRM that differ from sRGB.
  case primaries(ColorPrimaries, gamma: Double)
  /// Coding-independent code points (ITU-T H.273): HEIC `nclx`, PNG `cICP`.
  case codePoints(primaries: Int, transfer: Int, matrix: Int, fullRange: Bool)
}

/// The chromaticities x and y of red, green, blue and white (CIE 1931).
public struct ColorPrimaries: Sendable, Equatable, Codable {
  public var red, green, blue, white: Chromaticity

  /// A point in the CIE 1931 diagram.
  public struct Chromaticity: Sendable, Equatable, Codable {
    public var x, y: Double
    /// Creates a point with these coordinates.
    package init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// Creates primaries with a white point.
  package init(red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity) {
    self.red = red
    self.green = green
    self.blue = blue
    self.white = white
  }

  /// The primaries of sRGB (IEC 61966-2-1).
  package static let sRGB = ColorPrimaries(
    red: .init(0.64, 0.33), green: .init(0.30, 0.60), blue: .init(0.15, 0.06),
    white: .init(0.3127, 0.3290))
  /// The primaries of ITU-R BT.2020, also used by BT.2100 for high dynamic range.
  package static let bt2020 = ColorPrimaries(
    red: .init(0.708, 0.292), green: .init(0.170, 0.797), blue: .init(0.131, 0.046),
    white: .init(0.3127, 0.3290))
  /// The primaries of Display P3 (SMPTE EG 432-1 with white D65).
  package static let displayP3 = ColorPrimaries(
    red: .init(0.680, 0.320), green: .init(0.265, 0.690), blue: .init(0.150, 0.060),
    white: .init(0.3127, 0.3290))
}

/// A part of a file that isn't the picture itself.
public struct ContainerPart: Sendable, Equatable, Codable {
  /// The kind of the part.
  public var kind: Kind
  /// The number of bytes in the file, including framing.
  public var byteCount: Int
  /// The segment, chunk, block or box that contains the part (`APP1`, `tEXt`, `Exif item`).
  public var origin: String

  /// Creates a part of this kind and size.
  package init(_ kind: Kind, bytes byteCount: Int, origin: String) {
    self.kind = kind
    self.byteCount = byteCount
    self.origin = origin
  }

  /// The kinds of parts. If a removed part's `isLoss` is `true`, it is reported as a loss.
  public enum Kind: String, Sendable, Equatable, Hashable, CaseIterable, Codable {
    case exif, xmp, iptc
    case colorProfile = "color-profile"
    case comment, text, thumbnail
    /// An application segment, block or chunk of none of the other kinds.
    case application
    /// A chunk or box that isn't in any supported specification.
    case unknown
    /// Bytes after the end of the picture.
    case trailing
    /// Zeros among unknown or trailing bytes.
    case padding
    /// Content Credentials: a signed record of the picture's origin (C2PA, ISO 22144).
    case contentCredentials = "content-credentials"
    case gainMap = "gain-map"
    case depthMap = "depth-map"
    case motionVideo = "motion-video"
    case secondPicture = "second-picture"
    case burstFrames = "burst-frames"
    case spatialPair = "spatial-pair"
    /// An auxiliary picture other than alpha, depth and gain map, such as a segmentation matte.
    case auxiliaryPicture = "auxiliary-picture"

    /// `true` if a person might miss the part. Such parts are listed as losses.
    package var isLoss: Bool {
      switch self {
      case .gainMap, .depthMap, .motionVideo, .secondPicture, .burstFrames, .spatialPair,
        .auxiliaryPicture, .contentCredentials:
        true
      default: false
      }
    }
  }
}
