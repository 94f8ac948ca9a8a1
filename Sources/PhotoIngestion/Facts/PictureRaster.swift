/// A small picture as pixels, for drawing in a terminal.
package struct PictureRaster: Sendable, Equatable {
  /// Pixels across.
  package var width: Int
  /// Pixels down.
  package var height: Int
  /// Red, green and blue of each pixel, row by row; `width * height * 3` bytes.
  package var rgb: [UInt8]
}
