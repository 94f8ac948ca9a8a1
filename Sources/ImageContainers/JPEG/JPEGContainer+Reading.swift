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

/// What reading every code of a JPEG gives.
public struct JPEGReading: Sendable, Equatable {
  /// The file, without bytes between the last code and the marker behind it: no decoder shows them,
  /// and anything can hide there.
  public var file: [UInt8]
  /// An eighth of the picture: each pixel is the average of a block of 8 × 8. As upright as the file,
  /// no profile applied. Nil for colors that are not YCbCr.
  public var eighth: ReducedPicture?
}

/// Reading all of the data without decoding a pixel.
extension JPEGContainer {
  /// Reads every code of an ordinary JPEG's entropy-coded data: each must be one of the tables', and
  /// they must fill the blocks there are.
  ///
  /// - Parameter clean: what `clean` gave.
  /// - Returns: nil when only a decoder can tell whether the data is whole: the JPEG is progressive
  ///   or arithmetic-coded, has several scans, or its data is damaged.
  public static func read(
    _ clean: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> JPEGReading? {
    guard let scan = try JPEGScan(clean, limits: limits),
      let averages = JPEGAverages(scan, of: clean)
    else { return nil }
    var reading = JPEGReading(file: clean)
    if let data = averages.trimmedData { reading.file.replaceSubrange(scan.data, with: data) }
    if JPEGColorSegments(clean, scan.segments).isYCbCr(scan.frame) {
      reading.eighth = averages.picture(of: scan)
    }
    return reading
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
