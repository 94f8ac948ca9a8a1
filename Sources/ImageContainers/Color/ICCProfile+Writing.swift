extension ICCProfile {
  /// Writes an RGB display profile with a matrix and one curve, version 4.3, for littlecms. Equal arguments give equal
  /// bytes.
  ///
  /// - Parameters:
  ///   - primaries: the primaries, which are adapted from their white to D50 by Bradford's method.
  ///   - transfer: the curve of all three channels.
  ///   - name: the description in ASCII.
  /// - Returns: `nil` if the primaries are collinear or the curve is out of bounds.
  package static func matrixProfile(
    primaries: ColorPrimaries, transfer: ICCTransfer, name: String
  ) -> [UInt8]? {
    guard let colorants = primaries.colorants, let adaptation = primaries.adaptation,
      let curve = written(transfer.curve), colorants.rows.joined().allSatisfy(\.isFinite)
    else { return nil }
    var writer = ICCWriter(name: name)
    writer.add(["chad"], type: "sf32", numbers: adaptation.rows.flatMap { $0 })
    for (column, tag) in ["rXYZ", "gXYZ", "bXYZ"].enumerated() {
      writer.add([tag], type: "XYZ ", numbers: colorants.rows.map { $0[column] })
    }
    writer.add(
      ["rTRC", "gTRC", "bTRC"], type: curve.type, head: curve.head, numbers: curve.numbers)
    return writer.profile
  }

  /// Returns the contents of a `curv` tag (10.6), or the function type and parameters of a `para` tag (10.18).
  private static func written(
    _ curve: ToneCurve
  ) -> (type: String, head: [UInt8], numbers: [Double])? {
    switch curve {
    case .table(let values):
      let samples = values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      return ("curv", .big(values.count) + samples, [])
    case .parametric(let gamma, let a, let b, let c, let d, _, _):
      guard gamma.isFinite, 0.1...10 ~= gamma else { return nil }
      return d < 0
        ? ("para", [0, 0, 0, 0], [gamma]) : ("para", [0, 3, 0, 0], [gamma, a, b, c, d])
    }
  }
}

/// Assembles a profile: header, tag table, and tags aligned to four bytes (ICC.1:2022, 7).
private struct ICCWriter {
  private var tags: [(names: [String], data: [UInt8])] = []

  init(name: String) {
    add(["desc"], type: "mluc", head: Self.text(name), numbers: [])
    add(["cprt"], type: "mluc", head: Self.text("CC0"), numbers: [])
    add(["wtpt"], type: "XYZ ", numbers: ColorPrimaries.d50)
  }

  /// Adds a tag under these names: the type, four zeros, `head`, and the numbers as s15Fixed16.
  mutating func add(_ names: [String], type: String, head: [UInt8] = [], numbers: [Double]) {
    var data = Array(type.utf8) + [0, 0, 0, 0] + head
    for number in numbers {
      let fixed = Int32((min(max(number, -32_768), 32_767) * 65_536).rounded())
      data += Self.big(Int(UInt32(bitPattern: fixed)))
    }
    while data.count % 4 != 0 { data.append(0) }
    tags.append((names, data))
  }

  /// Returns one English record in UTF-16 (10.15).
  private static func text(_ text: String) -> [UInt8] {
    let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return big(1) + big(12) + Array("enUS".utf8) + big(units.count) + big(28) + units
  }

  private static func big(_ value: Int) -> [UInt8] { .big(value) }

  var profile: [UInt8] {
    let count = tags.reduce(0) { $0 + $1.names.count }
    var table = Self.big(count)
    var body: [UInt8] = []
    for tag in tags {
      for name in tag.names {
        table += Array(name.utf8) + Self.big(128 + 4 + count * 12 + body.count)
        table += Self.big(tag.data.count)
      }
      body += tag.data
    }
    var header = Self.big(128 + table.count + body.count) + [0, 0, 0, 0]
    header += [4, 0x30, 0, 0] + Array("mntrRGB XYZ ".utf8)
    // A fixed date, 2026-01-01, so that the same picture always gives the same bytes.
    header += [0x07, 0xEA, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 28)
    header += [0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D]
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + body
  }
}
