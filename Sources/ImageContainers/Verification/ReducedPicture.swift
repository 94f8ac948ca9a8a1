/// A small version of a large picture, with 8 bits for each sample.
package struct ReducedPicture: Sendable, Equatable {
  /// The width in pixels.
  package var width: Int
  /// The height in pixels.
  package var height: Int
  /// The number of samples for each pixel: 1 for gray, 3 for red, green and blue.
  package var bands: Int
  /// All samples, row by row.
  package var samples: [UInt8]
}
