import HTTPTypes
import Announcements
import Foundation
import ReportFlow

extension AnnouncementListQuery {
  /// Parses the query of `GET /api/v1/announcements`.
  ///
  /// - Throws: 400 `INVALID_PARAMETER` with the name of the invalid parameter.
  init(
    parameters: [String: String], taxonomy: SpeciesTaxonomy
  ) throws(ErrorResponse) {
    func refusal(_ field: String, _ rule: String) -> ErrorResponse {
      ErrorResponse(
        .invalidParameter, "Parameter \"\(field)\" \(rule).", field: field)
    }
    func number(_ field: String, _ range: ClosedRange<Double>) throws(ErrorResponse) -> Double? {
      guard let text = parameters[field] else { return nil }
      guard text.wholeMatch(of: /-?[0-9]{1,9}(\.[0-9]{1,20})?/) != nil, let number = Double(text)
      else { throw refusal(field, "has to be a number") }
      guard range.contains(number) else {
        let low = Int(range.lowerBound)
        let high = Int(range.upperBound)
        throw refusal(field, "has to be from \(low) to \(high)")
      }
      return number
    }
    var limit = 20
    if let text = parameters["limit"] {
      guard text.wholeMatch(of: /[0-9]{1,9}/) != nil, let given = Int(text),
        (1...100).contains(given)
      else { throw refusal("limit", "has to be from 1 to 100") }
      limit = given
    }
    let latitude = try number("lat", -90...90)
    let longitude = try number("lng", -180...180)
    if latitude == nil, longitude != nil { throw refusal("lat", "is required together with lng") }
    if latitude != nil, longitude == nil { throw refusal("lng", "is required together with lat") }
    let range = try number("range", 0...100_000)
    if let range, range <= 0 { throw refusal("range", "has to be more than 0 km") }
    let sort = parameters["sort"] ?? SortOption.createdAtDescending.rawValue
    guard let order = SortOption(rawValue: sort) else {
      let all = SortOption.allCases.map(\.rawValue).joined(separator: ", ")
      throw refusal("sort", "has to be one of \(all)")
    }
    if order == .distanceFromUser, latitude == nil {
      throw refusal("sort", "needs lat and lng for distanceFromUser")
    }
    var place: Coordinate?
    if let latitude, let longitude {
      place = Coordinate(latitude: latitude, longitude: longitude)
    }
    let text = parameters["q"] ?? ""
    guard text.unicodeScalars.count <= AnnouncementFilter.maxTextLength else {
      throw refusal("q", "has to be at most \(AnnouncementFilter.maxTextLength) characters")
    }
    let species = taxonomy.option(id: parameters["species"])?.id
    if parameters["species"] != nil, species == nil { throw refusal("species", taxonomy.rule) }
    let after = parameters["after"].flatMap { AnnouncementCursor($0) }
    if parameters["after"] != nil, after == nil {
      throw refusal("after", "has to be the \"next\" of an answer")
    }
    self.init(
      limit: limit, sortBy: order, location: place, range: range,
      filter: AnnouncementFilter(text: text, speciesID: species), after: after)
  }
}
