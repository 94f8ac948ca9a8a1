/// A component's blocks, which lie row by row, and what the scans so far bring of them.
struct JPEGPlane {
  /// Which block of all is the first.
  let start: Int
  /// Blocks of the picture, across and down.
  let across, down: Int
  /// Blocks of a minimum coded unit of all components, across and down.
  let horizontal, vertical: Int
  /// What a step of each coefficient is worth, in zigzag order, as it was when the first scan with
  /// the component began: libjpeg does not look again (`latch_quant_tables`).
  var quantization: [UInt16]?
  /// For each coefficient the lowest bit that is known so far.
  var known = [Int?](repeating: nil, count: 64)

  /// Blocks of the picture.
  var count: Int { across * down }
}

extension [JPEGPlane] {
  /// Takes note of what a scan brings; false when it refines what none brought (T.81, G.1.1.1).
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

  /// Whether every bit of each coefficient is known.
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

  /// Pixels along the sides of a minimum coded unit of all components.
  private var unitWidth: Int { components.reduce(8) { max($0, 8 * Int($1.horizontal)) } }
  private var unitHeight: Int { components.reduce(8) { max($0, 8 * Int($1.vertical)) } }

  /// Returns how many units a scan has: across, and in all (T.81, A.2).
  func units(of scan: JPEGScanHeader, _ planes: [JPEGPlane]) -> (columns: Int, count: Int) {
    guard scan.isInterleaved else {
      let plane = planes[scan.components[0].index]
      return (plane.across, plane.count)
    }
    // As many as all components of the frame take, which may be more than these.
    let columns = (width + unitWidth - 1) / unitWidth
    return (columns, columns * ((height + unitHeight - 1) / unitHeight))
  }
}
