import CVips
import ImageContainers

/// Decoding from top to bottom, a strip of rows at a time.
extension VipsPicture {
  /// Hands out all rows of all frames in order, at most 64 at a time: their place, how many, and the
  /// bytes from one to the next. Memory is one strip, however large the picture is.
  ///
  /// - Parameter end: where to stop; behind the last row by default.
  /// - Throws: `PhotoError.corrupt` when the data ends early or does not decode.
  func forEachStrip(
    to end: Int? = nil,
    _ body: (UnsafePointer<UInt8>, _ top: Int, _ count: Int, _ stride: Int) -> Void
  ) throws(PhotoError) {
    guard is8Bit, let region = petspot_region(image) else { throw .fault(what: "strip-depth") }
    defer { g_object_unref(region) }
    let end = end ?? height
    for top in stride(from: 0, to: end, by: 64) {
      let count = min(64, end - top)
      guard let rows = petspot_rows(region, Int32(top), Int32(count)) else {
        DecoderLog.note("decode", VipsRuntime.takeErrorText())
        throw .corrupt(what: "decode")
      }
      body(rows.assumingMemoryBound(to: UInt8.self), top, count, petspot_row_stride(region))
    }
  }

  /// Decodes three bands of 8 bits onto an upright canvas, converting colors on the way.
  func painted(
    orientation: Int, converting conversion: SRGBConversion?
  ) throws(PhotoError) -> UprightCanvas {
    let width = width
    return try UprightCanvas(width: width, height: height, orientation: orientation) {
      painter throws(PhotoError) in
      // libvips' strip must not be written to.
      var strip = [UInt8](repeating: 0, count: conversion == nil ? 0 : width * 64 * 3)
      try forEachStrip { rows, top, count, stride in
        guard let conversion else {
          return painter.paint(
            rows, stride: stride, width: width, height: count, left: 0, top: top)
        }
        strip.withUnsafeMutableBufferPointer { strip in
          let pixels = strip.baseAddress!
          for row in 0..<count {
            (pixels + row * width * 3).update(from: rows + row * stride, count: width * 3)
          }
          conversion.convert(pixels, count: width * count)
          painter.paint(
            pixels, stride: width * 3, width: width, height: count, left: 0, top: top)
        }
      }
    }
  }
}

extension UprightCanvas {
  /// Lends the canvas as a picture; nothing is copied.
  func reading<Result>(
    _ body: (borrowing VipsPicture) throws(PhotoError) -> Result
  ) throws(PhotoError) -> Result {
    try pixels.span.withUnsafeBytes { pixels throws(PhotoError) in
      try body(try VipsPicture.over(pixels, width: width, height: height))
    }
  }
}
