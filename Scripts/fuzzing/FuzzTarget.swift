/// What can be fuzzed: the five containers, the readers of what lies inside them, the readers of what
/// clients send, and the proof of each format that is stored.
enum FuzzTarget: String {
  case jpeg, png, gif, webp, heic, exif, xmp, icc, inflate, multipart, json
  case proofJPEG = "proof-jpeg"
  case proofPNG = "proof-png"
  case proofGIF = "proof-gif"
  case proofWebP = "proof-webp"

  /// The container whose files are the inputs; nil for what lies inside.
  var format: ImageFormat? {
    switch self {
    case .jpeg, .proofJPEG: .jpeg
    case .png, .proofPNG: .png
    case .gif, .proofGIF: .gif
    case .webp, .proofWebP: .webp
    case .heic: .heic
    case .exif, .xmp, .icc, .inflate, .multipart, .json: nil
    }
  }

  /// Takes one input through the reader; a broken promise traps.
  func run(_ bytes: [UInt8]) {
    switch self {
    case .jpeg: Self.container(bytes, .jpeg)
    case .png: Self.container(bytes, .png)
    case .gif: Self.container(bytes, .gif)
    case .webp: Self.container(bytes, .webp)
    case .heic: Self.container(bytes, .heic)
    case .exif: Self.exif(bytes)
    case .xmp: Self.xmp(bytes)
    case .icc: Self.icc(bytes)
    case .inflate: Self.inflate(bytes)
    case .multipart: Self.multipart(bytes)
    case .json: Self.json(bytes)
    case .proofJPEG: Self.proof(bytes, .jpeg)
    case .proofPNG: Self.proof(bytes, .png)
    case .proofGIF: Self.proof(bytes, .gif)
    case .proofWebP: Self.proof(bytes, .webp)
    }
  }
}

/// Traps with this sentence unless the condition holds, in optimized builds too.
func promise(_ sentence: @autoclosure () -> String, _ condition: Bool) {
  guard condition else { fatalError("broken promise: \(sentence())") }
}

// MARK: - Containers

extension FuzzTarget {
  /// Limits that small inputs can exceed.
  private static let tight: ContainerLimits = {
    var limits = ContainerLimits()
    (limits.pixels, limits.side, limits.heicSide) = (4_096, 100, 100)
    (limits.framePixels, limits.scans) = (3 * 64 * 64, 4)
    (limits.applicationBytes, limits.chunkBytes, limits.ancillaryBytes) = (256, 128, 512)
    (limits.chunks, limits.boxes, limits.boxDepth) = (24, 48, 4)
    (limits.items, limits.tiles) = (8, 4)
    return limits
  }()

  private static func container(_ bytes: [UInt8], _ format: ImageFormat) {
    _ = ImageContainer.format(of: bytes)
    let facts: ImageFacts
    do {
      // Which frames of a PNG are whole its data says.
      facts =
        format == .png
        ? try ImageContainer.parseAndClean(bytes, as: format).facts
        : try ImageContainer.parse(bytes, as: format)
    } catch {
      promise(
        "what parse refuses is not cleaned: \(error)",
        (try? ImageContainer.clean(bytes, as: format)) == nil)
      return
    }
    _ = facts.colorTag.meaning(for: facts.colorModel)

    let product: [UInt8]
    do {
      product = try ImageContainer.clean(bytes, as: format)
    } catch {
      fatalError("broken promise: what parse takes is cleaned: \(error)")
    }
    promise(
      "a clean file is not much larger: \(bytes.count) became \(product.count)",
      product.count <= bytes.count + 65_536
        // Such rows are made again as they are.
        || facts.repairs.contains(PNGContainer.checksumRepair))
    promise("a clean file has its signature", ImageContainer.format(of: product) == format)
    do {
      let parsed = try ImageContainer.parse(product, as: format, limits: .unbounded)
      promise(
        "a clean file has no parts: \(parsed.parts)",
        parsed.parts.allSatisfy { $0.origin == "NAL unit" })
      promise(
        "a clean file shows the same picture: \(facts) became \(parsed)",
        parsed.isSamePicture(as: facts) && parsed.isBare)
    } catch {
      fatalError("broken promise: a clean file can be parsed: \(error)")
    }
    promise(
      "cleaning a clean file changes nothing",
      (try? ImageContainer.clean(product, as: format)) == product)
    limits(bytes, format, (try? ImageContainer.parse(bytes, as: format)) ?? facts)
    if format == .jpeg { turning(product, facts) }
    if format == .heic {
      layers(product, facts)
      streams(product, facts)
    }
    if format == .png { frames(product, facts) }
  }

  /// A turn without decoding loses nothing: turned back, the picture is what it was.
  private static func turning(_ clean: [UInt8], _ facts: ImageFacts) {
    guard facts.storedWidth * facts.storedHeight <= 65_536 else { return }
    let anew = try? JPEGContainer.codedAnew(clean)
    promise(
      "coded anew once, it stays",
      anew.map { (try? JPEGContainer.codedAnew($0)) == anew } ?? true)
    let unturned = try? JPEGContainer.turned(clean, orientation: 1)
    for orientation in 1...8 {
      guard let turned = try? JPEGContainer.turned(clean, orientation: orientation) else {
        continue
      }
      var upright = facts
      upright.orientation = orientation
      let parsed = try? JPEGContainer.parse(turned, limits: .unbounded)
      promise(
        "a turned picture has its sides",
        parsed?.storedWidth == upright.uprightWidth
          && parsed?.storedHeight == upright.uprightHeight && parsed?.parts.isEmpty == true)
      promise(
        "what is turned is whole",
        ((try? JPEGContainer.codedAnew(turned)) == nil) == (anew == nil))
      let back = [1, 2, 3, 4, 5, 8, 7, 6][orientation - 1]
      promise(
        "turned back it is the same",
        (try? JPEGContainer.turned(turned, orientation: back)) == unturned)
    }
  }

  /// Tighter limits refuse, and change nothing else.
  private static func limits(_ bytes: [UInt8], _ format: ImageFormat, _ facts: ImageFacts) {
    do {
      let parsed = try ImageContainer.parse(bytes, as: format, limits: tight)
      let area = parsed.storedWidth * parsed.storedHeight
      promise(
        "limits change no facts but the animation",
        parsed.losses == ["animation"] && parsed.frameCount == 1
          || parsed.isSamePicture(as: facts))
      promise(
        "limits hold: \(parsed)",
        area <= tight.pixels && max(parsed.storedWidth, parsed.storedHeight) <= tight.side
          && tight.allow(
            frames: parsed.frameCount, width: parsed.storedWidth, height: parsed.storedHeight)
      )
    } catch .overLimit(let limit, let actual, let allowed) {
      promise("a limit refuses what is over it: \(limit), \(actual), \(allowed)", actual > allowed)
    } catch {
      fatalError("broken promise: limits refuse by their name: \(error)")
    }
  }
}

extension ImageFacts {
  /// Whether a rewrite has kept all that a viewer would see.
  fileprivate func isSamePicture(as original: ImageFacts) -> Bool {
    (storedWidth, storedHeight, bitDepth) == (
      original.storedWidth, original.storedHeight, original.bitDepth
    )
      && frameCount == original.frameCount
      // A single frame that covers the canvas becomes a still picture.
      && (frameCount == 1 || loopCount == original.loopCount)
      && hasAlpha == original.hasAlpha
      && (colorModel, chromaSubsampled) == (original.colorModel, original.chromaSubsampled)
      && oddities.allSatisfy(original.oddities.contains)
      && (format != .heic || colorTag == original.colorTag)
  }

  /// Whether nothing but the picture is told.
  fileprivate var isBare: Bool {
    orientation == 1 && exif == nil && !hasLocation && repairs.isEmpty
      && (format == .heic || colorTag == .untagged || colorTag == .sRGB)
  }
}
