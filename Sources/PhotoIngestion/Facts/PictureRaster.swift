import ImageContainers

/// A small picture as pixels, for drawing in a terminal.
public struct PictureRaster: Sendable, Equatable {
  /// Pixels across.
  public var width: Int
  /// Pixels down.
  public var height: Int
  /// Red, green and blue of each pixel, row by row; `width * height * 3` bytes.
  public var rgb: [UInt8]
}
