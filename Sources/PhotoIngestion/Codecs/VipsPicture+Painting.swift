import CVips
import ImageContainers

/// Decodes from top to bottom, one strip of rows at a time.
extension VipsPicture {
  /// Passes all rows of all frames to `body` in order, at most 64 at a time: a pointer, the first row's number, the
  /// number of rows, and the bytes from one row to the next. Memory is one strip, however large the picture is.
  ///
  /// - Parameter end: the row at which to stop. By default, all rows are read.
  /// - Throws: `PhotoError.corrupt` if the data ends early or does not decode.
  func forEachStrip(
    to end: Int? = nil,
    _ body: (UnsafePointer<UInt8>, _ top: Int, _ count: Int, _ stride: Int) -> Void
  ) throws {
    guard is8Bit else { throw PhotoError.fault(.stripDepth) }
    try forEachRawStrip(to: end) { rows, top, count, stride in
      body(rows.assumingMemoryBound(to: UInt8.self), top, count, stride)
    }
  }

  /// Passes each strip of rows to `body`, for samples of any depth.
  private func forEachRawStrip(
    to end: Int? = nil,
    _ body: (UnsafeRawPointer, _ top: Int, _ count: Int, _ stride: Int) -> Void
  ) throws {
    guard let region = petspot_region(image) else { throw PhotoError.fault(.stripRegion) }
    defer { g_object_unref(region) }
    let end = end ?? height
    for top in stride(from: 0, to: end, by: 64) {
      let count = min(64, end - top)
      guard let rows = petspot_rows(region, Int32(top), Int32(count)) else {
        DecoderLog.recordProblem("decode", VipsRuntime.takeErrorText())
        throw PhotoError.undecodable
      }
      body(rows, top, count, petspot_row_stride(region))
    }
  }

  /// Decodes three 8-bit bands onto an upright canvas and converts the colors in the same pass.
  func painted(
    orientation: Int, converting conversion: (any ColorConversion)?
  ) throws -> UprightCanvas {
    let width = width
    return try UprightCanvas(width: width, height: height, orientation: orientation) {
      painter in
      // libvips' strip must not be modified, so convert a copy.
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

  /// Returns high dynamic range colors as sRGB, or as gray if the picture is gray. Accepts one or three bands of 8 or
  /// 16 bits.
  func toneMapped(_ colors: HDRColors) throws -> VipsPicture {
    let width = width
    let bands = bands
    let isDeep = !is8Bit
    guard bands == 1 || bands == 3, is8Bit || image.pointee.BandFmt == VIPS_FORMAT_USHORT,
      let conversion = SourceColors.hdr(colors).conversion(bitDepth: isDeep ? 16 : 8)
    else { throw PhotoError.fault(.toneMap) }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * bands)
    var values = [UInt16](repeating: 0, count: width * 3)
    var bytes = [UInt8](repeating: 0, count: width * 3)
    try forEachRawStrip { rows, _, count, stride in
      for row in 0..<count {
        for index in 0..<width * 3 {
          let sample = bands == 3 ? index : index / 3
          let place = rows + row * stride
          values[index] =
            isDeep
            ? place.load(fromByteOffset: sample * 2, as: UInt16.self)
            : UInt16(place.load(fromByteOffset: sample, as: UInt8.self))
        }
        conversion.convert(values, count: width, into: &bytes)
        if bands == 3 {
          pixels += bytes
        } else {
          pixels += (0..<width).lazy.map { bytes[$0 * 3] }
        }
      }
    }
    let mapped = try pixels.span.withUnsafeBytes { pixels in
      try Self.make("color") {
        petspot_copied(
          pixels.baseAddress, pixels.count, Int32(width), Int32(height), Int32(bands), $0)
      }
    }
    guard pageCount > 1 else { return mapped }
    return try Self.make("color") {
      petspot_with_page_height(mapped.image, $0, Int32(pageHeight))
    }
  }
}

extension UprightCanvas {
  /// Passes the canvas to `body` as a picture, without copying it.
  func reading<Result>(
    _ body: (borrowing VipsPicture) throws -> Result
  ) throws -> Result {
    try pixels.span.withUnsafeBytes { pixels in
      try body(try VipsPicture.over(pixels, width: width, height: height))
    }
  }
}
