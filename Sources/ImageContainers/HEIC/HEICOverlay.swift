/// An overlay (`iovl`, ISO 23008-12, 6.6.2.2): pictures on a canvas, one on top of the other. Each is decoded
/// separately.
///
/// libheif 1.15 could compose them, but it reads alpha with the stride of the colors, past the end of the buffer
/// (CVE-2026-32882). libvips 8.14 doesn't open pictures without a bit depth of their own.
package struct HEICOverlay: Sendable {
  /// The size of the canvas in pixels, before `steps`.
  package let width, height: Int
  /// Red, green, blue and alpha of areas without a picture, 8 bits each, in sRGB.
  package let fill: [UInt8]
  /// The positions of the pictures, the lowest first.
  package let places: [Place]
  /// The transformations of the whole canvas, in order.
  package let steps: [Step]

  /// The upper left corner of a picture on the canvas. Pictures may extend beyond the canvas.
  package struct Place: Sendable, Equatable {
    /// The distances from the left and from the top in pixels.
    package var left, top: Int
    /// Creates a position.
    package init(left: Int, top: Int) {
      self.left = left
      self.top = top
    }
  }

  /// A transformation of the canvas (ISO 23008-12, 6.5.9, 6.5.10 and 6.5.12).
  package enum Step: Sendable, Equatable {
    case crop(left: Int, top: Int, width: Int, height: Int)
    /// The equivalent EXIF orientation.
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
  /// - Parameter index: the index in `places`.
  /// - Throws: the errors of `ImageContainer.parse`.
  package func layer(_ index: Int) throws(ContainerError) -> (facts: ImageFacts, clean: [UInt8]) {
    guard let item = file.meta.item(layers[index]) else {
      throw .malformed("heif-layer-missing", offset: file.meta.primary.box.lowerBound)
    }
    let meta = file.meta.showing(item)
    let picture = try HEICPicture(meta, limits: limits)
    let clean = try HEICWriter(meta, picture).file()
    let alone = try HEICFile(clean, limits: limits)
    var facts = try alone.facts(of: HEICPicture(alone.meta, limits: limits))
    facts.remainingMirroring = picture.remainingMirroring
    if facts.colorTag == .untagged {
      facts.colorTag = file.colorTag(file.meta.properties(of: file.meta.primary.id)) ?? .untagged
    }
    return (facts, clean)
  }
}

extension HEICContainer {
  /// Returns the overlay if the primary picture is one, otherwise `nil`.
  ///
  /// - Throws: the errors of `ImageContainer.parse`.
  package static func overlay(
    in bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> HEICOverlay? {
    try HEICOverlay(try HEICFile(bytes, limits: limits), limits: limits)
  }
}

/// The payload of an `iovl` item (ISO 23008-12, 6.6.2.2.2).
struct HEICOverlayData {
  /// Red, green, blue and alpha, 16 bits each.
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
    // A longer payload hides other data or has positions of missing pictures.
    guard reader.isAtEnd else { throw .malformed("heif-overlay", offset: offset) }
  }

  /// Returns `true` if a picture of this size at a layer's position covers the canvas.
  func isCovered(by size: (width: Int, height: Int), at layer: Int) -> Bool {
    let place = places[layer]
    return place.left <= 0 && place.top <= 0 && place.left + size.width >= width
      && place.top + size.height >= height
  }
}

extension [HEICProperty] {
  /// Returns the crops, rotations and mirrorings of a picture of this size, in order.
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
