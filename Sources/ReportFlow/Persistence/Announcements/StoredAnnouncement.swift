package import Announcements
package import Foundation
package import Logging
package import PhotoAttachments
import PhotoIngestion
import PhotoModel

extension Announcement {
  /// Creates an announcement from a stored row, or logs and returns `nil` if the row is invalid (decision 27).
  ///
  /// - Parameter field: returns the value of a column of `AnnouncementRows.columns` by name.
  package init?(stored field: (String) -> FieldValue, logger: Logger) {
    do {
      var details = Details()
      let species = field("species").text ?? ""
      details.speciesID = species
      details.breed = field("breed").text
      details.sex = field("sex").text.flatMap(Gender.init)
      details.age = field("age").number.map { Int($0) }
      details.dateOfDisappearance = field("disappeared_on").text.flatMap { CalendarDay($0) }
      details.texts = PublishedTexts { field($0.rawValue).text }
      details.photoSHA256 = field("photo_sha256").text
      details.photoID = field("photo_id").text.flatMap(UUID.init(uuidString:))
      if let width = field("photo_width").number, let height = field("photo_height").number,
        width > 0, height > 0
      {
        details.photoPixels = PhotoPixels(width: Int(width), height: Int(height))
      }
      details.hiddenReason = field("hidden_reason").text
      // The short code has no target before the announcement is listed.
      if details.photoID != nil { details.shortCode = field("short_code").text }
      details.language = field("language").text
      details.isHome = field("closed_reason").text == ClosingReason.home.rawValue
      let name = field("pet_name").text
      details.petNameGiven = name != nil
      let isClosed = field("closed_at") != .null
      guard
        let status = isClosed
          ? .closed : AnnouncementStatus(rawValue: field("status").text ?? "")
      else { throw AnnouncementError.invalid(["status"]) }
      try self.init(
        id: field("id").text ?? "",
        petName: name ?? AnnouncementSpecies.petName(forID: species),
        species: AnnouncementSpecies.word(forID: species), status: status,
        location: try Self.location(field), description: field("description").text,
        contactName: field("contact_name").text ?? "",
        contactPhone: field("contact_phone").text ?? "",
        createdAt: Date(milliseconds: field("created_at").number ?? 0),
        updatedAt: Date(milliseconds: field("updated_at").number ?? 0), details: details)
    } catch {
      logger.warning(
        "announcement skipped",
        metadata: ["id": "\(field("id").text ?? "")", "error": "\(error)"])
      return nil
    }
  }

  private static func location(_ field: (String) -> FieldValue) throws -> Location? {
    let latitude = field("latitude")
    let longitude = field("longitude")
    if latitude == .null && longitude == .null { return nil }
    guard let latitude = latitude.double, let longitude = longitude.double,
      let place = Coordinate(latitude: latitude, longitude: longitude),
      let location = Location(
        place, address: (field("near").text ?? field("address").text)?.nilIfBlank)
    else { throw AnnouncementError.invalid(["location"]) }
    return location
  }
}

extension NewAnnouncement {
  /// The columns that contain the report, by name.
  package var columns: [(key: String, value: FieldValue)] {
    let columns: KeyValuePairs<String, FieldValue> = [
      "pet_name": FieldValue(petName), "species": .text(species), "breed": .text(breed),
      "sex": .text(sex.rawValue), "age": age.map { FieldValue($0) } ?? .null,
      "latitude": location.map { .double($0.latitude) } ?? .null,
      "longitude": location.map { .double($0.longitude) } ?? .null,
      "cell": location.map { .int(GeoCell.code(of: $0)) } ?? .null, "address": FieldValue(address),
      "description": FieldValue(description), "contact_name": .text(ownerName),
      "contact_phone": .text(ownerPhone), "email": FieldValue(email),
      "microchip_number": FieldValue(microchipNumber),
      "disappeared_on": .text(dateOfDisappearance.description), "search": .text(searchText),
    ]
    return columns + PublishedTexts.fields.map { ($0.rawValue, FieldValue(texts[$0])) }
  }

  /// The folded text for searches. It contains the words of the name, breed, description and place, of the species in
  /// every language, and their other forms, each preceded by a space. A word that begins another one is left out.
  var searchText: String {
    func words(_ text: String?) -> [String] { text.map { AnnouncementFilter.words(of: $0) } ?? [] }
    let species = Language.allCases.map {
      SpeciesTaxonomy.bundled.option(id: self.species)?.displayName(in: Words($0)) ?? self.species
    }
    let place = words(texts[.near] ?? address)
    let told = words(breed) + words(description)
    let all =
      words(petName) + place + place.flatMap(CaseForms.forms(ofPlace:)) + told
      + told.flatMap(CaseForms.forms(ofDescribing:)) + species.flatMap { words($0) }
      + SearchVocabulary.translations(ofBreed: breed, of: self.species)
      + SearchVocabulary.words(of: self.species, sex)
    let sorted = Set(all).sorted()
    return zip(sorted, sorted.dropFirst() + [""]).filter { !$1.hasPrefix($0) }
      .map { " " + $0.0 }.joined()
  }

  /// Creates a report from the columns of a row, or returns `nil` if a required one is missing.
  package init?(stored field: (String) -> FieldValue) {
    guard let species = field("species").text, let breed = field("breed").text,
      let sex = field("sex").text.flatMap(Gender.init),
      let day = field("disappeared_on").text.flatMap({ CalendarDay($0) }),
      let name = field("contact_name").text, let phone = field("contact_phone").text
    else { return nil }
    self.init(
      species: species, breed: breed, sex: sex, dateOfDisappearance: day, ownerName: name,
      ownerPhone: phone)
    if let latitude = field("latitude").double, let longitude = field("longitude").double {
      location = Coordinate(latitude: latitude, longitude: longitude)
    }
    petName = field("pet_name").text
    age = field("age").number.map { Int($0) }
    description = field("description").text
    email = field("email").text
    microchipNumber = field("microchip_number").text
    address = field("address").text
    texts = PublishedTexts { field($0.rawValue).text }
  }

  /// Returns the announcement that others would see if the report were published now.
  package func announcement(at now: Date, logger: Logger) -> Announcement? {
    var fields = Dictionary(uniqueKeysWithValues: columns.map { ($0.key, $0.value) })
    fields["id"] = .text("-")
    fields["status"] = .text(AnnouncementStatus.lost.rawValue)
    for name in ["created_at", "updated_at"] {
      fields[name] = .int(Int64(now.timeIntervalSince1970 * 1000))
    }
    return Announcement(stored: { fields[$0] ?? .null }, logger: logger)
  }

  /// The digest that distinguishes reports: the SHA-256 of the report as JSON with sorted keys.
  package var fingerprint: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return sha256(of: [UInt8](try encoder.encode(self)))
    }
  }
}
