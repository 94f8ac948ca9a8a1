/// An APNG that is split into pictures, so that each can be encoded separately, and then joined with the same animation
/// (W3C PNG Third Edition, 11.3.7).
package struct PNGRecoding: Sendable {
  private let bytes: [UInt8]
  private let structure: PNGStructure
  private let pictures: [PNGAnimation.Frame]

  /// Splits an APNG. Returns `nil` for a still picture.
  ///
  /// - Throws: the errors of `ImageContainer.parse`.
  package init?(_ bytes: [UInt8], limits: ContainerLimits = .init()) throws(ContainerError) {
    structure = try PNGStructure(bytes, limits: limits)
    guard structure.isAnimated else { return nil }
    self.bytes = bytes
    pictures = structure.pictures
  }

  /// The number of pictures: the frames, preceded by one with only zeros if the first frame doesn't cover the canvas.
  package var count: Int { pictures.count }

  /// The index of the picture that browsers show first.
  package var firstFrame: Int { structure.startsWithFrame ? 0 : 1 }

  /// Returns a picture as a still PNG without color chunks.
  package func picture(_ index: Int) -> [UInt8] {
    structure.picture(of: pictures[index], in: bytes)
  }

  /// Returns the position of a picture on the canvas after the canvas has been turned upright.
  ///
  /// - Parameters:
  ///   - index: the index of the picture.
  ///   - orientation: the EXIF orientation (1 to 8) before the turn.
  package func place(of index: Int, turnedFrom orientation: Int) -> (left: Int, top: Int) {
    let picture = pictures[index]
    let left = picture.left
    let top = picture.top
    let right = structure.header.width - left - picture.width
    let bottom = structure.header.height - top - picture.height
    return switch orientation {
    case 2: (right, top)
    case 3: (right, bottom)
    case 4: (left, bottom)
    case 5: (top, left)
    case 6: (bottom, left)
    case 7: (bottom, right)
    case 8: (top, right)
    default: (left, top)
    }
  }

  /// Replaces the pictures by recoded ones. Delays, disposal, blending and the number of plays are kept.
  ///
  /// - Parameters:
  ///   - recoded: one PNG for each picture, turned upright. All must have the same color type and 8 bits, without
  ///     palette and transparency chunk.
  ///   - orientation: the EXIF orientation (1 to 8) before the turn.
  /// - Throws: `malformed` if a picture has another size or kind.
  package func joined(
    _ recoded: [[UInt8]], turnedFrom orientation: Int
  ) throws(ContainerError) -> [UInt8] {
    guard recoded.count == count else { throw .malformed("png-recoded-count", offset: 0) }
    var header: [UInt8] = []
    var kind: PNGHeader.ColorType?
    var written: [(control: [UInt8]?, data: [UInt8])] = []
    for (index, (file, control)) in zip(recoded, structure.frameControls).enumerated() {
      let picture = try PNGStructure(file, limits: .unbounded)
      let size = size(of: index, turnedFrom: orientation)
      guard (picture.header.width, picture.header.height) == size, picture.header.bitDepth == 8,
        !picture.header.isInterlaced, picture.palette == nil, picture.transparency == nil,
        picture.header.colorType == kind ?? picture.header.colorType
      else { throw .malformed("png-recoded-frame", offset: index) }
      kind = picture.header.colorType
      if index == 0 { header = Array(file[picture.chunks[0].data]) }
      let place = place(of: index, turnedFrom: orientation)
      let numbers = [size.width, size.height, place.left, place.top].flatMap([UInt8].big)
      let frameControl = control.map { numbers + bytes[$0.data].dropFirst(20) }
      let blank = control == nil ? picture.header.blankStream : nil
      written.append((frameControl, blank ?? picture.still.data.flatMap { file[$0] }))
    }
    return PNGStructure.file(
      header: header, animation: structure.animationControl, pictures: written,
      capacity: recoded.reduce(256) { $0 + $1.count + 128 })
  }

  private func size(of index: Int, turnedFrom orientation: Int) -> (width: Int, height: Int) {
    let picture = pictures[index]
    return orientation >= 5 ? (picture.height, picture.width) : (picture.width, picture.height)
  }
}
