/// A component's blocks, row by row, and the bits of their coefficients that are known so far.
struct JPEGPlane {
  /// The index of the plane's first block among the blocks of all planes.
  let start: Int
  /// The number of blocks in the picture, across and down.
  let across, down: Int
  /// The number of blocks in a minimum coded unit of all components, across and down.
  let horizontal, vertical: Int
  /// The quantization step of each coefficient, in zigzag order. The table that is defined at the component's first
  /// scan counts, because libjpeg ignores later ones (`latch_quant_tables`).
  var quantization: [UInt16]?
  /// The lowest bit of each coefficient that is known so far.
  var known = [Int?](repeating: nil, count: 64)

  /// The number of blocks in the picture.
  var count: Int { across * down }
}

extension [JPEGPlane] {
  /// Records the bits that a scan contains. Returns `false` if the scan refines coefficients that no earlier scan
  /// contains (T.81, G.1.1.1).
  mutating func follow(_ scan: JPEGScanHeader, of frame: JPEGFrame) -> Bool {
    for (index, _) in scan.components {
      for place in frame.isProgressive ? scan.first...scan.last : 0...63 {
        guard scan.high == 0 || !frame.isProgressive || self[index].known[place] == scan.high
        else { return false }
        self[index].known[place] = frame.isProgressive ? scan.low : 0
      }
    }
    return true
  }

  /// `true` if every bit of each coefficient is known.
  var areComplete: Bool { allSatisfy { $0.known.allSatisfy { $0 == 0 } } }
}

extension JPEGFrame {
  /// The blocks of each component.
  var planes: [JPEGPlane] {
    let isAlone = components.count == 1
    var start = 0
    return components.map { component in
      let horizontal = Int(component.horizontal)
      let vertical = Int(component.vertical)
      let plane = JPEGPlane(
        start: start, across: (width * horizontal + unitWidth - 1) / unitWidth,
        down: (height * vertical + unitHeight - 1) / unitHeight,
        horizontal: isAlone ? 1 : horizontal, vertical: isAlone ? 1 : vertical)
      start += plane.count
      return plane
    }
  }

  /// The size of a minimum coded unit of all components in pixels.
  private var unitWidth: Int { components.reduce(8) { max($0, 8 * Int($1.horizontal)) } }
  private var unitHeight: Int { components.reduce(8) { max($0, 8 * Int($1.vertical)) } }

  /// Returns the number of units of a scan, across and in total (T.81, A.2).
  func units(of scan: JPEGScanHeader, _ planes: [JPEGPlane]) -> (columns: Int, count: Int) {
    guard scan.isInterleaved else {
      let plane = planes[scan.components[0].index]
      return (plane.across, plane.count)
    }
    // A scan with several components has the units of the whole frame, even if it lacks some components.
    let columns = (width + unitWidth - 1) / unitWidth
    return (columns, columns * ((height + unitHeight - 1) / unitHeight))
  }
}
