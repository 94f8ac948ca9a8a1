import PhotoUploads

/// Separates the photo from a JSON body while the body arrives. The base64 text of the outer object's key `photo` is
/// decoded piece by piece as it arrives, so that neither the body nor the photo is ever in memory as a whole.
///
/// The remaining text keeps the structure of the body. Each run of base64 in the photo's text is replaced by one `A`,
/// and everything else is unchanged. `StrictJSON` therefore finds every error of the body in it.
struct PhotoSplitter {
  /// The body without the photo.
  private(set) var rest: [UInt8] = []
  /// The decoded bytes of the photo. The caller removes them.
  var photo: [UInt8] = []

  private enum State {
    case between
    /// In a string that begins at this index of `rest`.
    case string(from: Int)
    case photo
  }

  private var state = State.between
  private var depth = 0
  private var isKeyNext = false
  /// `true` if the last key of the outer object is `photo` and its value has not begun.
  private var isPhotoNext = false
  private var isEscaped = false
  private var decoder = Base64Decoder()
  /// The bytes read so far of an escape in the photo's text, or empty outside of escapes.
  private var escape: [UInt8] = []
  private var isInRun = false
  private var surplus = 0
  private var isDropping = false

  /// The number of bytes in the photo's text that aren't base64 and are kept in `rest`. Further ones are dropped.
  static let maxSurplus = 1024

  /// `true` if the photo's text has too many bytes that aren't base64. Further ones aren't kept in `rest`.
  var hasTooMuchSurplus: Bool { surplus > Self.maxSurplus }

  /// Processes the next bytes of the body.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    while index < bytes.count {
      if case .photo = state, escape.isEmpty {
        let taken = decoder.feed(bytes[index...], into: &photo)
        if taken > 0 { noteRun() }
        index += taken
        guard index < bytes.count else { return }
      }
      process(bytes[index])
      index += 1
    }
  }

  /// Processes the end of the body.
  ///
  /// - Returns: `true` if the photo's text was base64 and nothing else.
  mutating func finish() -> Bool {
    let isBase64 = decoder.finish(into: &photo)
    return isBase64 && surplus == 0
  }

  private mutating func process(_ byte: UInt8) {
    switch state {
    case .between: processBetween(byte)
    case .string(let start):
      rest.append(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        state = .between
        if isKeyNext, depth == 1 { isPhotoNext = Self.isPhoto(rest[start...]) }
        isKeyNext = false
      }
    case .photo: processPhotoByte(byte)
    }
  }

  private mutating func processBetween(_ byte: UInt8) {
    rest.append(byte)
    switch byte {
    case UInt8(ascii: "\""):
      state = isPhotoNext ? .photo : .string(from: rest.count - 1)
      isPhotoNext = false
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      isKeyNext = byte == UInt8(ascii: "{")
      isPhotoNext = false
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      isKeyNext = false
      isPhotoNext = false
    case UInt8(ascii: ","): (isKeyNext, isPhotoNext) = (true, false)
    case UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09: break
    default: isPhotoNext = false
    }
  }

  /// Processes a byte of the photo's text that is not base64 or belongs to an escape. An escape may represent a base64
  /// character.
  private mutating func processPhotoByte(_ byte: UInt8) {
    if escape.isEmpty {
      switch byte {
      case UInt8(ascii: "\""):
        rest.append(byte)
        state = .between
      case UInt8(ascii: "\\"): escape = [byte]
      default: addSurplus([byte])
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
      // `StrictJSON` rejects the body at a malformed escape, so a quote in it needn't end the string here.
      let kept = escape
      escape = []
      addSurplus(kept)
    }
  }

  /// Adds one `A` to `rest` when a run of base64 begins, unless there is too much surplus.
  private mutating func noteRun() {
    if hasTooMuchSurplus {
      isDropping = true
    } else if !isInRun {
      rest.append(UInt8(ascii: "A"))
    }
    isInRun = true
  }

  private mutating func addSurplus(_ bytes: [UInt8]) {
    // Keep the rest of a multibyte character whose beginning was kept.
    let isInside = !isDropping && (bytes.first ?? 0) & 0xC0 == 0x80
    if !hasTooMuchSurplus || isInside { rest += bytes } else { isDropping = true }
    surplus += bytes.count
    isInRun = false
  }

  /// Returns `true` if a quoted JSON string is this key, even if it is written with escapes.
  private static func isPhoto(_ string: ArraySlice<UInt8>) -> Bool {
    guard string.contains(UInt8(ascii: "\\")) else { return string.elementsEqual("\"photo\"".utf8) }
    return Array(string).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      return (try? reader.string()) == "photo"
    }
  }
}
