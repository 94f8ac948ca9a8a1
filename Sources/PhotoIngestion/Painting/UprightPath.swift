/// Where the pixels of a stored picture lie in the upright one: pixel x, y at
/// `origin + x * perColumn + y * perRow`, in bytes (EXIF 2.32, 4.6.4, Orientation).
struct UprightPath {
  let origin, perColumn, perRow: Int

  /// - Parameters:
  ///   - width: pixels of the picture as it is stored; so is `height`.
  ///   - orientation: 1 to 8, as EXIF counts.
  init(width: Int, height: Int, orientation: Int, pixelBytes: Int) {
    let row = (orientation >= 5 ? height : width) * pixelBytes
    let right = width - 1
    let bottom = height - 1
    (origin, perColumn, perRow) =
      switch orientation {
      case 2: (right * pixelBytes, -pixelBytes, row)
      case 3: (bottom * row + right * pixelBytes, -pixelBytes, -row)
      case 4: (bottom * row, pixelBytes, -row)
      case 5: (0, row, pixelBytes)
      case 6: (bottom * pixelBytes, row, -pixelBytes)
      case 7: (right * row + bottom * pixelBytes, -row, -pixelBytes)
      case 8: (right * row, -row, pixelBytes)
      default: (0, pixelBytes, row)
      }
  }
}
