/// Pictures that are laid over one another on a canvas (`iovl`, ISO 23008-12, 6.6.2.2), each to be
/// decoded separately.
///
/// libheif 1.15 could compose them, but reads alpha with the stride of the colors, beyond its end
/// (CVE-2026-32882), and libvips 8.14 does not open what has no bit depth of its own.
package struct HEICOverlay: Sendable {
  /// Pixels of the canvas before `steps`.
  package let width, height: Int
  /// Red, green, blue and alpha where no picture lies, 8 bits each, sRGB.
  package let fill: [UInt8]
  /// Where the pictures lie, the lowest first.
  package let places: [Place]
  /// What is done to the whole canvas, in order.
  package let steps: [Step]

  /// The upper left corner of a picture on the canvas, which it may stick out of.
  package struct Place: Sendable, Equatable {
    /// Pixels from the left and from the top.
    package var left, top: Int
    /// The place with these coordinates.
    package init(left: Int, top: Int) {
      self.left = left
      self.top = top
    }
  }

  /// A transformation of the canvas (ISO 23008-12, 6.5.9, 6.5.10 and 6.5.12).
  package enum Step: Sendable, Equatable {
    case crop(left: Int, top: Int, width: Int, height: Int)
    /// The EXIF orientation that does the same.
    case orient(Int)
  }

  private let file: HEICFile
  private let limits: ContainerLimits
  private let layers: [Int]

  init?(_ file: HEICFile, limits: ContainerLimits) throws(ContainerError) {
    let meta = file.meta
    guard meta.primary.type == "iovl" else { return nil }
    let picture = try HEICPicture(meta, limits: limits)
    layers = picture.items[0].tiles
    let data = try HEICOverlayData(
      meta.joined(picture.items[0].ranges), layers: layers.count, limits: limits,
      offset: meta.primary.box.lowerBound)
    width = data.width
    height = data.height
    places = data.places
    // 257 * 255 is 65535.
    fill = data.fill.map { UInt8(($0 + 128) / 257) }
    steps = meta.properties(of: meta.primary.id).steps(width: data.width, height: data.height)
    self.file = file
    self.limits = limits
  }

  /// Returns one of the pictures as a cleaned HEIC of its own.
  ///
  /// - Parameter index: counts `places`.
  /// - Throws: what `ImageContainer.parse` throws.
  package func layer(_ index: Int) throws(ContainerError) -> (facts: ImageFacts, clean: [UInt8]) {
    guard let item = file.meta.item(layers[index]) else {
      throw .malformed("heif-layer-missing", offset: file.meta.primary.box.lowerBound)
    }
    let meta = file.meta.showing(item)
    let picture = try HEICPicture(meta, limits: limits)
    let clean = try HEICWriter(meta, picture).file()
    var facts = try ImageContainer.parse(clean, as: .heic, limits: limits)
    facts.remainingMirroring = picture.remainingMirroring
    if facts.colorTag == .untagged {
      facts.colorTag = file.colorTag(file.meta.properties(of: file.meta.primary.id)) ?? .untagged
    }
    return (facts, clean)
  }
}

extension HEICContainer {
  /// Returns the overlay that is the primary picture, nil when that is something else.
  ///
  /// - Throws: what `parse` throws.
  package static func overlay(
    in bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> HEICOverlay? {
    try HEICOverlay(try HEICFile(bytes, limits: limits), limits: limits)
  }
}

/// The payload of an `iovl` item (ISO 23008-12, 6.6.2.2.2).
struct HEICOverlayData {
  /// Red, green, blue and alpha in 16 bits.
  let fill: [Int]
  let width, height: Int
  let places: [HEICOverlay.Place]

  init(
    _ data: (bytes: [UInt8], range: Range<Int>), layers: Int, limits: ContainerLimits, offset: Int
  ) throws(ContainerError) {
    try limits.check(layers, .tiles, upTo: limits.tiles)
    var reader = ByteReader(data.bytes, in: data.range)
    guard layers > 0, try reader.u8("iovl") == 0 else {
      throw .malformed("heif-overlay", offset: offset)
    }
    let size = try reader.u8("iovl") & 1 == 1 ? 4 : 2
    var fill: [Int] = []
    for _ in 0..<4 { fill.append(try reader.big(2, "iovl")) }
    self.fill = fill
    width = try reader.big(size, "iovl")
    height = try reader.big(size, "iovl")
    var places: [HEICOverlay.Place] = []
    for _ in 0..<layers {
      let left = try reader.big(size, "iovl")
      let top = try reader.big(size, "iovl")
      places.append(
        size == 2
          ? .init(
            left: Int(Int16(truncatingIfNeeded: left)), top: Int(Int16(truncatingIfNeeded: top)))
          : .init(
            left: Int(Int32(truncatingIfNeeded: left)), top: Int(Int32(truncatingIfNeeded: top))))
    }
    self.places = places
    // What is longer hides something, or places pictures that are not there.
    guard reader.isAtEnd else { throw .malformed("heif-overlay", offset: offset) }
  }

  /// Returns whether a picture of this size covers the canvas from the place of a layer.
  func isCovered(by size: (width: Int, height: Int), at layer: Int) -> Bool {
    let place = places[layer]
    return place.left <= 0 && place.top <= 0 && place.left + size.width >= width
      && place.top + size.height >= height
  }
}

extension [HEICProperty] {
  /// Returns crops, rotations and mirrorings in their order, for a picture of this size.
  func steps(width: Int, height: Int) -> [HEICOverlay.Step] {
    var size = (width: width, height: height)
    var steps: [HEICOverlay.Step] = []
    for property in self {
      switch property.value {
      case .crop(let aperture):
        guard let part = aperture.part(width: size.width, height: size.height) else { continue }
        steps.append(
          .crop(left: part.left, top: part.top, width: part.width, height: part.height))
        size = (part.width, part.height)
      case .rotation(let turns) where turns != 0:
        steps.append(.orient([1, 8, 3, 6][turns]))
        if turns % 2 == 1 { size = (size.height, size.width) }
      case .mirror(let axis): steps.append(.orient(axis == 0 ? 4 : 2))
      default: break
      }
    }
    return steps
  }
}
