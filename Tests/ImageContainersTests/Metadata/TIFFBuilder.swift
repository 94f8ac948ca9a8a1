/// A builder of the TIFF structure of an EXIF block.
struct TIFFBuilder {
  struct Field {
    var tag: Int
    var type: Int
    var count: Int
    /// The numbers of the value, each with its size in bytes.
    var value: [(size: Int, number: Int)]

    static func short(_ tag: Int, _ value: UInt16) -> Field {
      Field(tag: tag, type: 3, count: 1, value: [(2, Int(value))])
    }
    static func long(_ tag: Int, _ value: Int) -> Field {
      Field(tag: tag, type: 4, count: 1, value: [(4, value)])
    }
    static func ascii(_ tag: Int, _ text: String) -> Field {
      let bytes = Array(text.utf8) + [0]
      return Field(tag: tag, type: 2, count: bytes.count, value: bytes.map { (1, Int($0)) })
    }
    static func rationals(_ tag: Int, _ values: [(Int, Int)]) -> Field {
      Field(
        tag: tag, type: 5, count: values.count, value: values.flatMap { [(4, $0.0), (4, $0.1)] })
    }
  }

  var isBigEndian = false
  var main: [Field] = []
  var details: [Field] = []
  var gps: [Field] = []
  /// The bytes of a thumbnail, for which `bytes` adds the fields of IFD1.
  var thumbnail: [UInt8] = []

  var bytes: [UInt8] {
    var fields = main
    if !details.isEmpty { fields.append(.long(34665, 0)) }
    if !gps.isEmpty { fields.append(.long(34853, 0)) }
    let detailsStart = 8 + size(fields)
    let gpsStart = detailsStart + (details.isEmpty ? 0 : size(details))
    let thumbnailStart = gpsStart + (gps.isEmpty ? 0 : size(gps))
    for index in fields.indices {
      if fields[index].tag == 34665 { fields[index].value = [(4, detailsStart)] }
      if fields[index].tag == 34853 { fields[index].value = [(4, gpsStart)] }
    }
    var result = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
    result += directory(fields, at: 8, next: thumbnail.isEmpty ? 0 : thumbnailStart)
    if !details.isEmpty { result += directory(details, at: detailsStart) }
    if !gps.isEmpty { result += directory(gps, at: gpsStart) }
    if !thumbnail.isEmpty {
      let start = thumbnailStart + 2 + 12 * 2 + 4
      result += directory(
        [.long(513, start), .long(514, thumbnail.count)], at: thumbnailStart)
      result += thumbnail
    }
    return result
  }

  private func size(_ fields: [Field]) -> Int {
    fields.reduce(6 + 12 * fields.count) { $0 + (length($1) > 4 ? length($1) : 0) }
  }

  private func length(_ field: Field) -> Int { field.value.reduce(0) { $0 + $1.size } }

  private func number(_ value: Int, _ size: Int) -> [UInt8] {
    let little = (0..<size).map { UInt8(value >> (8 * $0) & 255) }
    return isBigEndian ? little.reversed() : little
  }

  private func directory(_ fields: [Field], at start: Int, next: Int = 0) -> [UInt8] {
    var entries = number(fields.count, 2)
    var values: [UInt8] = []
    for field in fields {
      let value = field.value.flatMap { number($0.number, $0.size) }
      entries += number(field.tag, 2) + number(field.type, 2) + number(field.count, 4)
      if value.count > 4 {
        entries += number(start + 6 + 12 * fields.count + values.count, 4)
        values += value
      } else {
        entries += value + [UInt8](repeating: 0, count: 4 - value.count)
      }
    }
    return entries + number(next, 4) + values
  }
}
