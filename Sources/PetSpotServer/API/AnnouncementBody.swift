import Announcements
import Foundation
import HTTPTypes
import ImageContainers
import NIOCore
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow

/// The report in the JSON body of a request that creates an announcement. Seed 046, a part of the specification,
/// defines the fields. Errors name all invalid fields (decision 26).
struct AnnouncementBody {
  let report: NewAnnouncement

  /// Reads a body.
  ///
  /// - Parameters:
  ///   - withPhoto: `true` if `photo` is a required field, `false` if it is unknown.
  ///   - photoIsBase64: `true` if the text of `photo` was base64.
  ///   - taxonomy: the known species.
  /// - Throws: 400 with all errors.
  init(
    _ object: JSONObject, withPhoto: Bool, photoIsBase64: Bool = true, taxonomy: SpeciesTaxonomy,
    now: Date = Date()
  ) throws(ErrorResponse) {
    var reader = FieldReader(object)
    let fields = ReportFields(&reader, of: object, taxonomy, now)
    if withPhoto, reader.string("photo", required: true) != nil, !photoIsBase64 {
      reader.refuse("photo", "has to be base64 (RFC 4648, section 4)")
    }
    let errors = reader.finish()
    guard errors.isEmpty, let report = fields.report else { throw .invalid(errors) }
    self.report = report
  }
}

/// The fields of a report in a JSON body, checked by their rules. Used for a whole report and for a change of some
/// fields.
struct ReportFields: Sendable {
  private let keys: Set<String>
  private let (name, phone, species, breed): (String?, String?, String?, String?)
  private let place: Coordinate?
  private let address: String?
  private let gender: Gender?
  private let age: Int?
  private let day: CalendarDay?
  private let (description, petName, email, chip): (String?, String?, String?, String?)
  private let texts: PublishedTexts

  /// Reads the body of a change, in which every field is optional.
  ///
  /// - Throws: 400 with all errors.
  init(
    changing object: JSONObject, taxonomy: SpeciesTaxonomy, now: Date = Date()
  ) throws(ErrorResponse) {
    var reader = FieldReader(object, isPartial: true)
    self.init(&reader, of: object, taxonomy, now)
    let errors = reader.finish()
    guard errors.isEmpty else { throw .invalid(errors) }
  }

  /// Reads the fields. An invalid field is `nil`, and `fields` has an error for it.
  fileprivate init(
    _ fields: inout FieldReader, of object: JSONObject, _ taxonomy: SpeciesTaxonomy, _ now: Date
  ) {
    keys = Set(object.members.map(\.key))
    var texts = PublishedTexts { Self.text($0.rawValue, $0, &fields) }
    var address: String?
    place =
      fields.object("location", required: false) { place -> Coordinate? in
        let latitude = place.number("latitude", required: true)
        let longitude = place.number("longitude", required: true)
        if let latitude, !(-90...90).contains(latitude) {
          place.refuse("latitude", "has to be from -90 to 90")
        }
        if let longitude, !(-180...180).contains(longitude) {
          place.refuse("longitude", "has to be from -180 to 180")
        }
        address = place.string("address", required: false).map(\.trimmed).flatMap {
          $0.isEmpty ? nil : $0
        }
        if address?.fits(characters: Location.maxAddressLength) == false {
          place.refuse("address", "has to be at most \(Location.maxAddressLength) characters long")
        }
        if let near = texts[.near], let address, address != near {
          place.refuse("address", "has to equal near, or be left out")
        }
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
      } ?? nil
    name = Self.text("ownerName", .name, required: true, &fields)
    phone = Self.text("ownerPhone", .phone, required: true, &fields)
    if let phone, !PhoneNumber.isValid(phone) {
      fields.refuse(
        "ownerPhone", "has to have 7 to 15 digits and otherwise only + - ( ) and spaces")
    }
    let named = Self.text("species", .species, required: true, &fields)
    species = taxonomy.option(id: named)?.id
    if named != nil, species == nil { fields.refuse("species", taxonomy.rule) }
    breed = Self.text("breed", .race, required: true, &fields)
    let sex = Self.text("sex", .gender, required: true, &fields)
    gender = sex.flatMap { Gender(rawValue: $0.lowercased()) }
    if sex != nil, gender == nil { fields.refuse("sex", "has to be male or female") }
    age = fields.integer("age", required: false)
    if let age, !(1...40).contains(age) { fields.refuse("age", "has to be 1 to 40 years") }
    let date = fields.string("dateOfDisappearance", required: true)
    day = date.flatMap { CalendarDay($0) }
    if date != nil, day == nil {
      fields.refuse("dateOfDisappearance", "has to be a day such as 2025-12-01")
    }
    if let day, NewAnnouncement.isInFuture(day, now: now) {
      fields.refuse("dateOfDisappearance", "must not be in the future")
    }
    // Both are the place in words (decision 84).
    if texts[.near] == nil, address?.fits(characters: FormField.near.limit) == true {
      texts[.near] = address
    }
    self.address = texts[.near] == nil ? address : nil
    self.texts = texts
    description = Self.text("description", .description, &fields)
    petName = Self.text("petName", .petName, &fields)
    email = Self.text("email", .email, &fields)
    if let email, !ContactRules.isEmail(email) { fields.refuse("email", "isn't an email address") }
    chip = Self.text("microchipNumber", .chip, &fields)
    if let chip, chip.digits(most: 15) == nil {
      fields.refuse("microchipNumber", "has to be at most 15 digits")
    }
  }

  /// The report, or `nil` if a required field is missing.
  var report: NewAnnouncement? {
    guard let name, let phone, let species, let breed, let gender, let day else { return nil }
    var report = NewAnnouncement(
      species: species, breed: breed, sex: gender, dateOfDisappearance: day, ownerName: name,
      ownerPhone: phone)
    change(&report)
    return report
  }

  /// Applies the fields of the body to a report. Other fields stay unchanged.
  func change(_ report: inout NewAnnouncement) {
    report.ownerName = name ?? report.ownerName
    report.ownerPhone = phone ?? report.ownerPhone
    report.species = species ?? report.species
    report.breed = breed ?? report.breed
    report.sex = gender ?? report.sex
    report.dateOfDisappearance = day ?? report.dateOfDisappearance
    if keys.contains("location") {
      report.location = place
      report.address = address
    }
    if keys.contains("age") { report.age = age }
    if keys.contains("description") { report.description = description }
    if keys.contains("petName") { report.petName = petName }
    if keys.contains("email") { report.email = email }
    if keys.contains("microchipNumber") { report.microchipNumber = chip }
    for field in PublishedTexts.fields
    where keys.contains(field.rawValue) || texts[field] != nil {
      report.texts[field] = texts[field]
    }
  }

  /// Returns the trimmed text of a key, or `nil` if it is missing or doesn't fit its field.
  private static func text(
    _ key: String, _ field: FormField, required: Bool = false, _ fields: inout FieldReader
  ) -> String? {
    guard let text = fields.string(key, required: required)?.trimmed, !text.isEmpty else {
      return nil
    }
    if text.fits(characters: field.limit) { return text }
    fields.refuse(
      key,
      text.count > field.limit
        ? "has to be at most \(field.limit) characters long"
        : "has to be at most \(16 * field.limit) bytes long, with at most 8 marks on a character")
    return nil
  }
}

extension String {
  /// The text without surrounding white space and line ends.
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

extension RequestContext {
  /// Reads the body as a JSON object.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of bytes.
  ///   - files: the threads that parse the body.
  /// - Throws: 415, 413, 400 `INVALID_JSON`.
  func json(limit: Int, on files: WorkerPool) async throws -> JSONObject {
    try checkJSON()
    let bytes = try await body(limit: limit)
    return try await files.run { try StrictJSON.object(from: bytes) }
  }

  /// Reads the body as a JSON object with a photo in base64. The photo is written to the disk as it arrives.
  ///
  /// - Parameters:
  ///   - photoLimit: the maximum number of bytes of the photo.
  ///   - restLimit: the maximum number of bytes without the photo.
  ///   - stores: the stores whose disk takes the photo.
  /// - Returns: the object, whose `photo` is a blank or placeholder text, and the photo. The photo is `nil` if its text
  ///   is not base64.
  /// - Throws: 415, 413, 400 `INVALID_JSON`, errors of the disk.
  func jsonWithPhoto(
    photoLimit: Int, restLimit: Int, in stores: Stores
  ) async throws -> (JSONObject, PhotoSource?) {
    try checkJSON()
    var splitter = PhotoSplitter()
    var photo = SpooledPhoto(name: nil, limit: photoLimit)
    func takePhoto() throws {
      // Read the rest of the body even if the photo is hopeless, because it may have other errors to report.
      if !splitter.hasTooMuchSurplus { try photo.add(splitter.photo) }
      splitter.photo.removeAll(keepingCapacity: true)
    }
    try await readBody(limit: (photoLimit + 2) / 3 * 4 + restLimit) { piece in
      piece.withUnsafeReadableBytes { splitter.feed($0) }
      try takePhoto()
      if splitter.rest.count > restLimit {
        // An error in the first half is more helpful than the error about the length.
        let read = Result { () throws(StrictJSONError) in
          try StrictJSON.object(from: splitter.rest)
        }
        if case .failure(let fault) = read, fault.offset < restLimit / 2 { throw fault }
        throw ErrorResponse.tooLarge(actual: nil, limit: restLimit)
      }
      try await photo.flush(to: stores.spool)
    }
    let isBase64 = splitter.finish()
    let rest = splitter.rest
    let object = try await stores.files.run { try StrictJSON.object(from: rest) }
    guard isBase64 else { return (object, nil) }
    try takePhoto()
    try await photo.flush(to: stores.spool, atEnd: true)
    return (object, try photo.source(orNamed: ""))
  }

  private func checkJSON() throws(ErrorResponse) {
    guard mediaType == "application/json" else {
      throw ErrorResponse(
        .unsupportedMediaType, "Send the body as application/json.")
    }
  }
}
