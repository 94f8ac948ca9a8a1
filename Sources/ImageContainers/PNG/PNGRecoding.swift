/// An APNG taken apart, so that each of its pictures can be encoded separately, and put together
/// again with the same animation (W3C PNG Third Edition, 11.3.7).
package struct PNGRecoding: Sendable {
  private let bytes: [UInt8]
  private let structure: PNGStructure
  private let pictures: [PNGAnimation.Frame]

  /// Takes an APNG apart; nil for a still picture.
  /// - Throws: what `ImageContainer.parse` throws.
  package init?(_ bytes: [UInt8], limits: ContainerLimits = .init()) throws(ContainerError) {
    structure = try PNGStructure(bytes, limits: limits)
    guard structure.isAnimated else { return nil }
    self.bytes = bytes
    pictures = structure.pictures
  }

  /// How many pictures there are: the frames, after one of zeros when the first does not cover the
  /// canvas.
  package var count: Int { pictures.count }

  /// Which picture is the frame that browsers show first.
  package var firstFrame: Int { structure.startsWithFrame ? 0 : 1 }

  /// Returns a picture as a still PNG, without color chunks.
  package func picture(_ index: Int) -> [UInt8] {
    structure.picture(of: pictures[index], in: bytes)
  }

  /// Returns where a picture lies on the canvas once that is turned.
  ///
  /// - Parameters:
  ///   - index: counts pictures.
  ///   - orientation: the EXIF orientation (1 to 8) that the turn undoes.
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

  /// Puts pictures into the places of those they were made from; delays, disposal, blending and the
  /// number of plays stay.
  ///
  /// - Parameters:
  ///   - recoded: one a picture, as PNG: all of one color type, of 8 bits, with neither palette nor
  ///     transparency of their own, turned by `orientation`.
  ///   - orientation: the EXIF orientation (1 to 8) that the pictures were turned from.
  /// - Throws: `malformed` when a picture is of another size or kind.
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
