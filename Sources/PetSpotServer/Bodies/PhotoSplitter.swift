/// Takes the photo out of a body of JSON while it comes in, so that neither is ever in memory whole: the
/// base64 text behind the outer object's key `photo` is decoded at once.
///
/// What is left keeps the form of the body: each run of base64 in that text becomes one `A`, all else
/// stays as it was. So `StrictJSON` finds in it every fault that the body has.
struct PhotoSplitter {
  /// The body without the photo.
  private(set) var rest: [UInt8] = []
  /// Bytes of the photo that the caller has not taken yet.
  var photo: [UInt8] = []

  private enum Place {
    case between
    /// In a string that begins at this index of `rest`.
    case string(from: Int)
    case photo
  }

  private var place = Place.between
  private var depth = 0
  private var isKeyNext = false
  /// Whether the last key of the outer object is `photo` and its value has not begun.
  private var isPhotoNext = false
  private var isEscaped = false
  private var decoder = Base64Decoder()
  /// An escape in the photo's text, as far as it came.
  private var escape: [UInt8] = []
  private var isInRun = false
  private var surplus = 0
  private var isDropping = false

  /// Bytes in the photo's text that are not base64, up to which they are kept.
  static let maxSurplus = 1024

  /// Whether the photo's text has so much else in it that it is none, and the surplus is dropped.
  var isHopeless: Bool { surplus > Self.maxSurplus }

  /// Takes the next bytes of the body.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    while index < bytes.count {
      if case .photo = place, escape.isEmpty {
        let taken = decoder.feed(bytes[index...], into: &photo)
        if taken > 0 { noteRun() }
        index += taken
        guard index < bytes.count else { return }
      }
      take(bytes[index])
      index += 1
    }
  }

  /// Takes the end of the body.
  ///
  /// - Returns: whether the photo's text was base64 and nothing else.
  mutating func finish() -> Bool {
    let isBase64 = decoder.finish(into: &photo)
    return isBase64 && surplus == 0
  }

  private mutating func take(_ byte: UInt8) {
    switch place {
    case .between: takeBetween(byte)
    case .string(let start):
      rest.append(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        place = .between
        if isKeyNext, depth == 1 { isPhotoNext = Self.isPhoto(rest[start...]) }
        isKeyNext = false
      }
    case .photo: takeOfPhoto(byte)
    }
  }

  private mutating func takeBetween(_ byte: UInt8) {
    rest.append(byte)
    switch byte {
    case UInt8(ascii: "\""):
      place = isPhotoNext ? .photo : .string(from: rest.count - 1)
      isPhotoNext = false
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      (isKeyNext, isPhotoNext) = (byte == UInt8(ascii: "{"), false)
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      (isKeyNext, isPhotoNext) = (false, false)
    case UInt8(ascii: ","): (isKeyNext, isPhotoNext) = (true, false)
    case UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09: break
    default: isPhotoNext = false
    }
  }

  /// A byte of the photo's text that is not base64, or of an escape, which may stand for one that is.
  private mutating func takeOfPhoto(_ byte: UInt8) {
    if escape.isEmpty {
      switch byte {
      case UInt8(ascii: "\""):
        rest.append(byte)
        place = .between
      case UInt8(ascii: "\\"): escape = [byte]
      default: keep([byte])
      }
      return
    }
    escape.append(byte)
    let isLong = escape[1] == UInt8(ascii: "u")
    let isDigit = escape.count == 2 || byte.hexValue != nil
    guard !isDigit || escape.count == (isLong ? 6 : 2) else { return }
    let character: UInt8? =
      isLong
      ? UInt8(String(decoding: escape[2...], as: UTF8.self), radix: 16)
      : byte == UInt8(ascii: "/") ? byte : nil
    if let character, decoder.feed(CollectionOfOne(character), into: &photo) == 1 {
      noteRun()
      escape = []
    } else {
      // A quote that ends an escape too early ends no string for `StrictJSON` either: it refuses it.
      let kept = escape
      escape = []
      keep(kept)
    }
  }

  private mutating func noteRun() {
    if isHopeless {
      isDropping = true
    } else if !isInRun {
      rest.append(UInt8(ascii: "A"))
    }
    isInRun = true
  }

  private mutating func keep(_ bytes: [UInt8]) {
    // The last character is kept whole.
    let isInside = !isDropping && (bytes.first ?? 0) & 0xC0 == 0x80
    if !isHopeless || isInside { rest += bytes } else { isDropping = true }
    surplus += bytes.count
    isInRun = false
  }

  /// Whether a string of JSON, quotes included, is this key however it's written.
  private static func isPhoto(_ string: ArraySlice<UInt8>) -> Bool {
    guard string.contains(UInt8(ascii: "\\")) else { return string.elementsEqual("\"photo\"".utf8) }
    return Array(string).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      return (try? reader.string()) == "photo"
    }
  }
}
