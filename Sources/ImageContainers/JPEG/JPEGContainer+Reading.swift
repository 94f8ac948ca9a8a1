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
  /// The file with nothing in it but what a decoder needs for the pixels it shows: one baseline scan,
  /// the tables its codes need, no byte after a last code. Its coefficients are the original's.
  public var file: [UInt8]
  /// An eighth of the picture: each pixel is the average of a block of 8 × 8. As upright as the file,
  /// no profile applied. Nil for colors that are not YCbCr.
  public var eighth: ReducedPicture?
}

/// Reading all of the data without decoding a pixel.
extension JPEGContainer {
  /// Reads every code of a JPEG's entropy-coded data, each of which must be one of the tables' and
  /// all of which must fill the blocks there are, and writes the file in its finished form.
  ///
  /// Data of one scan is copied; that of several scans, progressive ones too, is coded again from its
  /// coefficients. So are blocks outside of the picture, when something hides there.
  ///
  /// - Parameters:
  ///   - clean: what `clean` gave.
  ///   - limits: what a file may cost before it is refused.
  /// - Returns: nil when only a decoder can tell what the data shows: it is arithmetic-coded or
  ///   damaged, or a progressive picture is not complete.
  public static func read(
    _ clean: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> JPEGReading? {
    if let scan = try JPEGScan(clean, limits: limits) {
      guard let averages = JPEGAverages(scan, of: clean) else { return nil }
      if let file = averages.finished(scan, of: clean) {
        return JPEGReading(file: file, eighth: averages.eighth(of: scan))
      }
    }
    guard let coefficients = try JPEGCoefficients(clean, limits: limits),
      let anew = coefficients.file(), let scan = try JPEGScan(anew, limits: limits)
    else { return nil }
    return JPEGReading(file: anew, eighth: JPEGAverages(coefficients, scan).eighth(of: scan))
  }
}

extension JPEGAverages {
  /// The file around the data that was read; nil when its codes cannot stay.
  fileprivate func finished(_ scan: JPEGScan, of clean: [UInt8]) -> [UInt8]? {
    guard !hidesBlocks else { return nil }
    let steps = JPEGQuantization.finished(
      zip(scan.components, used).map { ($0.quantization, $1) })
    func seen(_ number: UInt8) -> ArraySlice<UInt8> { self.seen[(scan.places[number] ?? 0)...] }
    let head = scan.head { index, component in
      guard let steps,
        let dc = component.dc.finished(seen: seen(component.selectors >> 4), forDC: true),
        let ac = component.ac.finished(seen: seen(component.selectors & 15 | 0x10), forDC: false)
      else { return nil }
      return (steps[index], dc, ac)
    }
    guard let head else { return nil }
    let data = self.data?[...] ?? clean[scan.data]
    if self.data == nil, clean.count == head.count + data.count + 2, clean.starts(with: head) {
      return clean
    }
    return JPEGContainer.file(head, data: data)
  }

  /// The averages of a picture in YCbCr or gray; nil of others.
  fileprivate func eighth(of scan: JPEGScan) -> ReducedPicture? {
    scan.color.isYCbCr(scan.frame) ? picture(of: scan) : nil
  }

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
