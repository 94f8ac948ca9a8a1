/// The EXIF data that PetSpot uses before it removes the block.
public struct EXIF: Sendable, Equatable, Codable {
  /// Tag 274, 1 to 8. `nil` if absent or out of range.
  public var orientation: Int?
  /// DateTimeOriginal (else DateTimeDigitized, else DateTime) in the order of ISO 8601, without sub-seconds, and with
  /// its time zone if the camera recorded one: `2026:11:20 10:00:00` and `+01:00` become `2026-11-20T10:00:00+01:00`.
  /// `nil` without a valid date.
  public var capturedAt: String?
  /// The place that the camera recorded, if any.
  public var position: Position?
  /// `true` if a GPS directory contains a position, readable or not.
  public var hasGPS = false
  /// The size of the thumbnail in the block in bytes, or 0 without a thumbnail.
  public var thumbnailBytes = 0

  /// A place on earth in degrees, north and east positive.
  public struct Position: Sendable, Equatable, Codable {
    /// The latitude in degrees, -90 (south) to 90 (north).
    public var latitude: Double
    /// The longitude in degrees, -180 (west) to 180 (east).
    public var longitude: Double
  }

  /// Creates empty EXIF data.
  package init() {}

  /// Parses an EXIF block at `range` of a file: a TIFF header, optionally after `Exif\0\0`. Unreadable fields are
  /// skipped. Returns `nil` if there is no TIFF header.
  ///
  /// Tags and directories are those of EXIF 2.32, 4.6. At most four directories are read, each once, so circular
  /// references are harmless.
  static func parse(_ bytes: [UInt8], in range: Range<Int>) -> EXIF? {
    guard let file = TIFF(bytes, in: range) else { return nil }
    var exif = EXIF()
    let main = file.directory(at: file.firstDirectory)
    let orientation = main[274].flatMap(file.integer)
    exif.orientation = orientation.flatMap { (1...8).contains($0) ? $0 : nil }

    // Some writers put the fields of the EXIF directory into IFD0.
    let details = main.merging(file.directory(at: main[34665].flatMap(file.integer))) { $1 }
    let dates = [(details[36867], 36881), (details[36868], 36882), (main[306], 36880)]
    for (date, offsetTag) in dates {
      guard let date = date.flatMap(file.text).flatMap(isoDate) else { continue }
      let offset = details[offsetTag].flatMap(file.text).flatMap(zone)
      exif.capturedAt = date + (offset ?? "")
      break
    }

    let gps = file.directory(at: main[34853].flatMap(file.integer))
    exif.hasGPS = gps[2] != nil || gps[4] != nil
    exif.position = position(gps, in: file)

    let thumbnail = file.directory(at: file.offsetAfter(directory: file.firstDirectory))
    if let offset = thumbnail[513].flatMap(file.integer),
      let length = thumbnail[514].flatMap(file.integer)
    {
      exif.thumbnailBytes = max(0, min(length, file.count - offset))
    }
    return exif
  }

  /// Reads GPSLatitudeRef to GPSLongitude (EXIF 2.32, 4.6.6).
  private static func position(_ gps: [Int: TIFF.Entry], in file: TIFF) -> Position? {
    func degrees(_ tag: Int, _ limit: Double, positive: String, negative: String) -> Double? {
      guard let value = gps[tag].flatMap(file.rationals),
        let reference = gps[tag - 1].flatMap(file.text)?.uppercased(),
        reference == positive || reference == negative
      else { return nil }
      // Some writers only use degrees, or degrees and minutes.
      let parts = value + [0, 0]
      guard (1...3).contains(value.count), parts[1] <= 60, parts[2] <= 60 else { return nil }
      let sum = parts[0] + parts[1] / 60 + parts[2] / 3600
      guard sum <= limit else { return nil }
      return reference == negative ? -sum : sum
    }
    guard let latitude = degrees(2, 90, positive: "N", negative: "S"),
      let longitude = degrees(4, 180, positive: "E", negative: "W"),
      // Cameras without a GPS fix write zeros (decision 17).
      latitude != 0 || longitude != 0
    else { return nil }
    return Position(latitude: latitude, longitude: longitude)
  }

  /// Converts `2026:11:20 10:00:00` to `2026-11-20T10:00:00`. Returns `nil` if it isn't a valid date. Other separators
  /// than EXIF's are also accepted.
  private static func isoDate(_ text: String) -> String? {
    let written = Array(text.utf8)
    guard written.count >= 19 else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      let digits = written[range]
      guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      year > 0, (1...12).contains(month), hour < 24, minute < 60, second < 60
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...days[month - 1]).contains(day) else { return nil }
    func piece(_ range: Range<Int>) -> String { String(decoding: written[range], as: UTF8.self) }
    return "\(piece(0..<4))-\(piece(5..<7))-\(piece(8..<10))"
      + "T\(piece(11..<13)):\(piece(14..<16)):\(piece(17..<19))"
  }

  /// Returns the text if it is `Z` or a time zone such as `+01:00`, otherwise `nil`.
  private static func zone(_ text: String) -> String? {
    if text == "Z" { return text }
    let written = Array(text.utf8)
    guard written.count == 6, text.hasPrefix("+") || text.hasPrefix("-"),
      written[3] == UInt8(ascii: ":"),
      [1, 2, 4, 5].allSatisfy({ (0x30...0x39).contains(written[$0]) })
    else { return nil }
    let hours = Int(written[1] - 0x30) * 10 + Int(written[2] - 0x30)
    return hours <= 14 && written[4] < 0x36 ? text : nil
  }
}
