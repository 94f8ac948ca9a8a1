/// A small picture of a large one, 8 bits a sample.
public struct ReducedPicture: Sendable, Equatable {
  /// Pixels across.
  public var width: Int
  /// Pixels down.
  public var height: Int
  /// Samples a pixel: 1 for gray, 3 for red, green and blue.
  public var bands: Int
  /// All samples, row by row.
  public var samples: [UInt8]
}

/// A small picture without decoding a pixel.
extension JPEGContainer {
  /// Shrinks an ordinary JPEG to an eighth: each pixel is the average of a block of 8 × 8.
  ///
  /// Reads every code of the entropy-coded data, so a picture also says that the data is whole: each
  /// code is one of the tables', and they fill exactly the blocks there are.
  ///
  /// - Parameter clean: what `clean` gave. Values keep their meaning: no profile is applied, and the
  ///   picture is as upright as the original.
  /// - Returns: nil when only a decoder can tell: the JPEG is progressive or arithmetic-coded, has
  ///   several scans or colors that are not YCbCr, or its data is damaged.
  public static func eighth(
    of clean: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ReducedPicture? {
    guard let scan = try JPEGScan(clean, limits: limits),
      [1, 3].contains(scan.components.count),
      JPEGColorSegments(clean, scan.segments).isYCbCr(scan.frame),
      let averages = JPEGAverages(scan, of: clean)
    else { return nil }
    return averages.picture(of: scan)
  }
}

extension JPEGAverages {
  /// The averages as pixels, those beyond the picture's edges left out.
  fileprivate func picture(of scan: JPEGScan) -> ReducedPicture {
    let (width, height) = ((scan.frame.width + 7) / 8, (scan.frame.height + 7) / 8)
    let isGray = planes.count == 1
    var picture = ReducedPicture(
      width: width, height: height, bands: isGray ? 1 : 3, samples: [])
    picture.samples.reserveCapacity(width * height * picture.bands)
    // Which column of a plane a pixel takes: chroma is repeated.
    let columns = scan.components.map { component in
      (0..<width).map { $0 * component.horizontal * 8 / scan.unitWidth }
    }
    samples.withUnsafeBufferPointer { samples in
      for y in 0..<height {
        let rows = zip(planes, scan.components).map { plane, component in
          samples[(plane.start + y * component.vertical * 8 / scan.unitHeight * plane.width)...]
            .prefix(plane.width)
        }
        guard !isGray else {
          picture.samples += rows[0].prefix(width)
          continue
        }
        picture.append(
          luma: UnsafeBufferPointer(rebasing: rows[0]),
          blue: UnsafeBufferPointer(rebasing: rows[1]), red: UnsafeBufferPointer(rebasing: rows[2]),
          columns)
      }
    }
    return picture
  }
}

extension ReducedPicture {
  /// Appends a row of YCbCr as RGB (JFIF 1.02, page 3, in steps of 1/65,536).
  fileprivate mutating func append(
    luma: UnsafeBufferPointer<UInt8>, blue: UnsafeBufferPointer<UInt8>,
    red: UnsafeBufferPointer<UInt8>, _ columns: [[Int]]
  ) {
    for x in 0..<width {
      let y = Int(luma[columns[0][x]])
      let (cb, cr) = (Int(blue[columns[1][x]]) - 128, Int(red[columns[2][x]]) - 128)
      samples.append(Self.clipped(y + (91_881 * cr + 32_768) >> 16))
      samples.append(Self.clipped(y - (22_554 * cb + 46_802 * cr + 32_768) >> 16))
      samples.append(Self.clipped(y + (116_130 * cb + 32_768) >> 16))
    }
  }

  private static func clipped(_ value: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: max(0, min(255, value)))
  }
}
