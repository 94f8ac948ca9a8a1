/// Reading a picture once from top to bottom, keeping only a small one.
extension VipsPicture {
  /// Computes every row of all frames in order, which proves that the data is whole, and gives the
  /// first frame shrunk by the whole number that leaves `side` pixels or more along its longer side.
  ///
  /// Averaging here instead of in libvips' pipeline takes a fifth of its time, and memory is one
  /// strip of rows, however large the picture is. Transparent pixels lend no color.
  func shrunkReadingAll(side: Int) throws(PhotoError) -> SmallPicture {
    let frameHeight = pageHeight
    var averages = BlockAverages(
      width: width, height: frameHeight, bands: bands, weighsAlpha: hasAlpha,
      factor: BlockAverages.factor(width: width, height: frameHeight, side: side))
    try forEachStrip { rows, top, count, stride in
      for row in 0..<max(0, min(count, frameHeight - top)) {
        averages.add(row: rows + row * stride)
      }
    }
    return averages.picture
  }
}
