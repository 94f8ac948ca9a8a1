/// The proof of products: it takes whatever bytes a worker that was taken over may send, and accounts
/// for all that the cleaners let pass.
extension FuzzTarget {
  static func proof(_ bytes: [UInt8], _ format: ImageFormat) {
    if format == .webp, claimsManyPixels(bytes) { return }
    stranger(bytes, format)
    guard let read = try? ImageContainer.parseAndClean(bytes, as: format) else { return }
    switch format {
    // Four inks are always coded anew.
    case .jpeg: if read.facts.colorModel != .cmyk { jpeg(read.clean, read.facts) }
    case .gif: verified(read.clean, format, read.facts)
    default: whole(bytes, format, read.facts)
    }
  }

  /// Whether a lossless picture has more than a million pixels: its codes may take no bit at all, and
  /// seconds spent on 35 bytes are executions that find nothing.
  private static func claimsManyPixels(_ bytes: [UInt8]) -> Bool {
    let (lossless, extended) = (Array("VP8L".utf8), Array("VP8X".utf8))
    for place in bytes.indices.dropLast(17) where bytes[place] == lossless[0] {
      let (name, data) = (bytes[place..<place + 4], bytes[(place + 8)...])
      func number(_ first: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(data[data.startIndex + first + $1]) << (8 * $1) }
      }
      let sides =
        name.elementsEqual(lossless)
        ? (number(1, 4) & 0x3FFF, number(1, 4) >> 14 & 0x3FFF)
        : name.elementsEqual(extended) ? (number(4, 3), number(7, 3)) : (0, 0)
      if sides.0 * sides.1 > 1 << 20 { return true }
    }
    return false
  }

  /// Any bytes: no trap, and what is verified has nothing that a parser would find or a cleaner take out.
  private static func stranger(_ bytes: [UInt8], _ format: ImageFormat) {
    let size = ContainerProof.reducedSize(of: bytes, as: format)
    guard let picture = try? ContainerProof.verify(bytes, as: format) else { return }
    if let reduced = picture.reduced {
      promise(
        "a reduced picture has its size",
        size.map { $0 == (reduced.width, reduced.height) }
          ?? false)
      promise(
        "a reduced picture is whole",
        reduced.samples.count == reduced.width * reduced.height * reduced.bands)
    }
    let read: (facts: ImageFacts, clean: [UInt8])
    do {
      read = try ImageContainer.parseAndClean(bytes, as: format, limits: .unbounded)
    } catch {
      // A palette without a color that is used, and the like: what no parser takes is no product.
      return
    }
    promise("the proof and the parser see one picture", isSame(picture, read.facts))
    promise("what is verified has no parts: \(read.facts.parts)", read.facts.parts.isEmpty)
    promise("what is verified is clean", read.clean == bytes)
    decodesInPieces(bytes, format, read.facts)
  }

  /// What is verified is shown by browsers, whose decoder of WebP takes the data in pieces.
  private static func decodesInPieces(_ bytes: [UInt8], _ format: ImageFormat, _ facts: ImageFacts)
  {
    guard format == .webp, facts.storedWidth * facts.storedHeight * facts.frameCount <= 1 << 20
    else { return }
    promise(
      "what is verified decodes in pieces", IncrementalWebP.firstRefusedFrame(of: bytes) == nil)
  }

  private static func isSame(_ picture: VerifiedPicture, _ facts: ImageFacts) -> Bool {
    (picture.width, picture.height, picture.frameCount)
      == (facts.storedWidth, facts.storedHeight, facts.frameCount)
  }

  /// Holds the proof to account for a product, but for detail that a JPEG's blocks hide: only the proof
  /// looks for that, and what it refuses is coded anew.
  @discardableResult
  private static func verified(
    _ product: [UInt8], _ format: ImageFormat, _ facts: ImageFacts
  ) -> VerifiedPicture? {
    do {
      let picture = try ContainerProof.verify(product, as: format)
      promise("what is verified is the picture", isSame(picture, facts))
      return picture
    } catch  where error.problem == "jpeg-hidden-detail" {
      return nil
    } catch {
      fatalError("broken promise: what the cleaner lets pass is accounted for: \(error)")
    }
  }

  /// A JPEG as it is coded, and turned; where no codes can be followed it is coded anew.
  private static func jpeg(_ clean: [UInt8], _ facts: ImageFacts) {
    let isVerified = (try? ContainerProof.verify(clean, as: .jpeg)) != nil
    let finished = try? ContainerProof.finish(clean, as: .jpeg)
    promise("what is verified needs no care", !isVerified || finished?.bytes == clean)
    if let finished {
      promise(
        "what is finished is verified",
        (try? ContainerProof.verify(finished.bytes, as: .jpeg)) == finished.picture)
    }
    guard let anew = try? JPEGContainer.codedAnew(clean) else {
      promise("what the proof can read the cleaner can", finished == nil)
      return
    }
    if let reduced = verified(anew, .jpeg, facts)?.reduced {
      promise(
        "an eighth has its size: \(facts)",
        (reduced.width, reduced.height)
          == ((facts.storedWidth + 7) / 8, (facts.storedHeight + 7) / 8)
          && reduced.samples.count == reduced.width * reduced.height * reduced.bands)
    }
    let orientation = Int(clean.reduce(0, &+) & 7) + 1
    guard let turned = try? JPEGContainer.turned(clean, orientation: orientation) else { return }
    var upright = facts
    upright.orientation = orientation
    (upright.storedWidth, upright.storedHeight) = (upright.uprightWidth, upright.uprightHeight)
    guard let turned = try? JPEGContainer.codedAnew(turned) else {
      fatalError("broken promise: what is turned can be coded anew")
    }
    verified(turned, .jpeg, upright)
  }

  /// A PNG or WebP whose data was read to the end; where the proof refuses it, it is coded anew.
  private static func whole(_ bytes: [UInt8], _ format: ImageFormat, _ facts: ImageFacts) {
    guard let clean = try? ImageContainer.clean(bytes, as: format) else {
      fatalError("broken promise: what is parsed is cleaned")
    }
    guard let picture = try? ContainerProof.verify(clean, as: format) else { return }
    promise("what is verified is the picture", isSame(picture, facts))
    decodesInPieces(clean, format, facts)
    promise(
      "cleaning again changes nothing", (try? ImageContainer.clean(clean, as: format)) == clean)
  }
}
