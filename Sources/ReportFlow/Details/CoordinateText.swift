package import Announcements
import Foundation
package import PhotoModel

/// Formats coordinates as text.
package enum CoordinateText {
  /// Returns degrees with five decimals and a dot, the format of GPS values in the fields (seed 021, FR-009).
  package static func fiveDecimals(_ degrees: Double) -> String { decimals(degrees, 5) }

  /// Returns degrees with two decimals and a dot, the format in page URLs. The precision is about a kilometer.
  package static func twoDecimals(_ degrees: Double) -> String { decimals(degrees, 2) }

  /// Returns a place with four decimals and hemispheres, such as `52.2297° N, 21.0122° E`. Polish uses decimal commas.
  /// 0 counts as N and E.
  package static func place(_ point: Coordinate, in words: Words) -> String {
    func part(_ degrees: Double, _ positive: TextKey, _ negative: TextKey) -> String {
      let number = decimals(abs(degrees), 4).replacing(".", with: words("number.decimalSign"))
      return "\(number)° \(words(degrees < 0 ? negative : positive))"
    }
    return part(point.latitude, "location.north", "location.south") + ", "
      + part(point.longitude, "location.east", "location.west")
  }

  /// Returns the question whether to use a photo's position.
  package static func photoOffer(_ point: Coordinate, in words: Words) -> String {
    words("location.photoOffer", ["place": place(point, in: words)])
  }

  private static func decimals(_ number: Double, _ digits: Int) -> String {
    let text = number.formatted(
      .number.precision(.fractionLength(digits)).grouping(.never)
        .locale(Locale(identifier: "en_US_POSIX")))
    return text.hasPrefix("-") && text.allSatisfy({ "-0.".contains($0) })
      ? String(text.dropFirst()) : text
  }
}
