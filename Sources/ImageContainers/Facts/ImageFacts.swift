/// What a file says about its picture, read without decoding a pixel.
public struct ImageFacts: Sendable, Equatable, Codable {
  /// The container's format.
  public var format: ImageFormat
  /// Pixels across as the decoder delivers them before `orientation` is applied. For HEIC this is
  /// after `clap`, `irot` and `imir`, which belong to decoding there (ISO 23008-12, 6.5).
  public var storedWidth: Int
  /// Pixels down, like `storedWidth`.
  public var storedHeight: Int
  /// The EXIF orientation 1 to 8 that has to be applied to stand the picture upright; 1 when there
  /// is none, when it is out of range, and always for HEIC.
  public var orientation = 1
  /// The mirroring of a HEIC as EXIF orientation 2 or 4 that is left out of the cleaned file, because
  /// libheif 1.15 cannot mirror more than 8 bits; else 1. It does not change the size.
  package var remainingMirroring = 1
  /// Pixels of the pictures that a HEIC lays one above another (`iovl`), all together; 0 for any other.
  package var layerPixels = 0
  /// Frames a browser plays; 1 for a still picture. HEIC is always 1.
  public var frameCount = 1
  /// Frames of the file where more are in it than `frameCount`, which are left out; else nil.
  public var fileFrameCount: Int?
  /// How often an animation plays, 0 for ever; nil for a still picture.
  public var loopCount: Int?
  /// Bits of one sample.
  public var bitDepth = 8
  /// How samples make a color.
  public var colorModel = ColorModel.rgb
  /// Whether a pixel can be transparent.
  public var hasAlpha = false
  /// What the container says of the meaning of its color values.
  public var colorTag = ColorTag.untagged
  /// Whether chroma is stored at a lower resolution than luma (JPEG, WebP, HEIC of 4:2:0 that is no
  /// overlay).
  public var chromaSubsampled = false
  /// What the EXIF block says, nil without one.
  public var exif: EXIF?
  /// Whether any metadata (EXIF, XMP) names the place where the picture was taken.
  public var hasLocation = false
  /// Everything in the file that is not the picture, in file order.
  public var parts: [ContainerPart] = []
  /// Kinds of coding that browsers do not show or that have to be re-encoded, as stable words such
  /// as `arithmetic-coding` or `12-bit`; empty for ordinary pictures.
  public var oddities: [String] = []
  /// What a rewrite had to repair, as stable words: `heif-multi-cdsc`, or what is missing behind the last
  /// pixel, such as `gif-trailer` (decision 46).
  public var repairs: [String] = []
  /// What of the picture is not kept beside `parts`: `frames` that are missing or damaged, or the whole
  /// `animation` behind its first frame.
  public var losses: [String] = []

  /// Facts of a picture of this format and stored size in pixels.
  package init(format: ImageFormat, storedWidth: Int, storedHeight: Int) {
    self.format = format
    self.storedWidth = storedWidth
    self.storedHeight = storedHeight
  }

  /// The EXIF orientation 1 to 8 to apply to what a decoder makes of the cleaned file.
  package var orientationToApply: Int { format.orientsItself ? remainingMirroring : orientation }
  /// Pixels across as a person sees the picture.
  public var uprightWidth: Int { orientation >= 5 ? storedHeight : storedWidth }
  /// Pixels down as a person sees the picture.
  public var uprightHeight: Int { orientation >= 5 ? storedWidth : storedHeight }
}

/// How the samples of a pixel make a color.
public enum ColorModel: String, Sendable, Equatable, Codable {
  case gray, rgb, palette, cmyk
}

/// What a file says about the meaning of its color values.
public enum ColorTag: Sendable, Equatable, Codable {
  /// Nothing; every browser takes that as sRGB.
  case untagged
  /// The sRGB marker of a PNG, or values that say the same (gAMA 45455 with sRGB's cHRM).
  case sRGB
  /// An embedded ICC profile, its raw bytes (not yet judged).
  case profile([UInt8])
  /// PNG gAMA and cHRM that are not sRGB's.
  case primaries(ColorPrimaries, gamma: Double)
  /// Coding-independent code points (ITU-T H.273): HEIC `nclx`, PNG `cICP`.
  case codePoints(primaries: Int, transfer: Int, matrix: Int, fullRange: Bool)
}

/// Chromaticities x and y of red, green, blue and white (CIE 1931).
public struct ColorPrimaries: Sendable, Equatable, Codable {
  public var red, green, blue, white: Chromaticity

  /// A place in the CIE 1931 diagram.
  public struct Chromaticity: Sendable, Equatable, Codable {
    public var x, y: Double
    /// The place with these coordinates.
    package init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// Primaries and white point.
  package init(red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity) {
    self.red = red
    self.green = green
    self.blue = blue
    self.white = white
  }

  /// IEC 61966-2-1.
  package static let sRGB = ColorPrimaries(
    red: .init(0.64, 0.33), green: .init(0.30, 0.60), blue: .init(0.15, 0.06),
    white: .init(0.3127, 0.3290))
  /// ITU-R BT.2020, and BT.2100 of high dynamic range.
  package static let bt2020 = ColorPrimaries(
    red: .init(0.708, 0.292), green: .init(0.170, 0.797), blue: .init(0.131, 0.046),
    white: .init(0.3127, 0.3290))
  /// SMPTE EG 432-1 (Display P3, white D65).
  package static let displayP3 = ColorPrimaries(
    red: .init(0.680, 0.320), green: .init(0.265, 0.690), blue: .init(0.150, 0.060),
    white: .init(0.3127, 0.3290))
}

/// A part of a file that is not the picture itself.
public struct ContainerPart: Sendable, Equatable, Codable {
  /// What it is.
  public var kind: Kind
  /// Bytes it takes in the file, its framing included.
  public var byteCount: Int
  /// Which segment, chunk, block or box carries it (`APP1`, `tEXt`, `Exif item`).
  public var origin: String

  /// A part of this kind and size in bytes.
  package init(_ kind: Kind, bytes byteCount: Int, origin: String) {
    self.kind = kind
    self.byteCount = byteCount
    self.origin = origin
  }

  /// The content of a part. A dropped part is reported as a loss if its kind `isLoss`.
  public enum Kind: String, Sendable, Equatable, Hashable, CaseIterable, Codable {
    case exif, xmp, iptc
    case colorProfile = "color-profile"
    case comment, text, thumbnail
    /// An application segment, block or chunk that is none of the others.
    case application
    /// A chunk or box that no specification we follow names.
    case unknown
    /// Bytes after the picture's end.
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
    /// An auxiliary picture that is neither alpha, depth nor gain map (segmentation mattes).
    case auxiliaryPicture = "auxiliary-picture"

    /// Whether a person might miss it; such parts are listed as losses.
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
