import CVips

/// Checks that libvips opens only our five formats. Debian's build also supports PDF, SVG, TIFF, matrices, and all
/// formats that ImageMagick reads.
enum ForeignLoaders {
  /// The fault if another loader would run. `nil` if every one is blocked.
  static var problem: PhotoError.Fault? {
    defer { _ = VipsRuntime.takeErrorText() }
    let isOpen = petspot_foreign_loaders() > 0 || samples.contains { loads($0.value, with: $0.key) }
    return isOpen ? .foreignLoader : nil
  }

  private static func loads(_ bytes: [UInt8], with loader: String) -> Bool {
    bytes.withUnsafeBytes {
      petspot_loads($0.baseAddress, $0.count) != 0
        || petspot_loads_with(loader, $0.baseAddress, $0.count) != 0
    }
  }

  /// A small valid file for each loader that must fail.
  static let samples: [String: [UInt8]] = [
    "tiffload_source": tiff,
    "matrixload_source": [UInt8]("1 1\n7\n".utf8),
    // ImageMagick loads a PPM if libvips' own loader is blocked.
    "magickload_source": [UInt8]("P5 1 1 255 x".utf8),
    "svgload_source": [UInt8](
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>".utf8),
    "pdfload_source": [UInt8](
      """
      %PDF-1.1
      1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
      2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
      3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
      trailer<</Root 1 0 R>>
      """.utf8),
  ]

  /// A TIFF with one gray pixel (TIFF 6.0, sections 2 and 4).
  private static let tiff: [UInt8] = {
    var bytes: [UInt8] = [0x49, 0x49, 42, 0, 10, 0, 0, 0, 0x7F, 0]
    let fields: [(tag: UInt16, value: UInt16)] = [
      (256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 1), (279, 1),
    ]
    bytes += [UInt8(fields.count), 0]
    for field in fields {
      bytes += [UInt8(field.tag & 255), UInt8(field.tag >> 8), 3, 0, 1, 0, 0, 0]
      bytes += [UInt8(field.value & 255), UInt8(field.value >> 8), 0, 0]
    }
    return bytes + [0, 0, 0, 0]
  }()
}
