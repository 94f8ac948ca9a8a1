import Announcements
import Foundation
import Testing

/// The example of seed 058, key for key.
let seedExample = """
  {"id": "uuid-string", "petName": "Max", "species": "Dog", "status": "Lost",
   "photoUrl": "https://example.com/photo.jpg",
   "location": {"latitude": 52.2297, "longitude": 21.0122, "address": "Warsaw, Poland"},
   "description": "Golden Retriever, friendly", "contactName": "John Doe",
   "contactPhone": "+48 123 456 789",
   "createdAt": "2025-12-15T10:30:00Z", "updatedAt": "2025-12-15T10:30:00Z"}
  """

private func decode(replacing old: String = "", with new: String = "") throws -> Announcement {
  let text = old.isEmpty ? seedExample : seedExample.replacing(old, with: new)
  if !old.isEmpty { #expect(text != seedExample, "the test changed nothing") }
  return try JSONDecoder().decode(Announcement.self, from: Data(text.utf8))
}

@Suite struct AnnouncementTests {
  @Test func theSeedsExampleIsRead() throws {
    let announcement = try decode()
    #expect(announcement.id == "uuid-string")
    #expect(announcement.petName == "Max")
    #expect(announcement.species == "Dog")
    #expect(announcement.status == .lost)
    #expect(announcement.photoUrl?.absoluteString == "https://example.com/photo.jpg")
    #expect(announcement.location?.address == "Warsaw, Poland")
    #expect(announcement.location?.latitude == 52.2297)
    #expect(announcement.description == "Golden Retriever, friendly")
    #expect(announcement.contactName == "John Doe")
    #expect(announcement.contactPhone == "+48 123 456 789")
    #expect(announcement.createdAt == (try Date("2025-12-15T10:30:00Z", strategy: .iso8601)))
  }

  @Test func whatIsWrittenIsReadBack() throws {
    var announcement = try decode()
    announcement.details.speciesID = "dog"
    announcement.details.age = 5
    announcement.details.sex = .female
    announcement.details.dateOfDisappearance = CalendarDay("2025-12-01")
    let data = try JSONEncoder().encode(announcement)
    #expect(try JSONDecoder().decode(Announcement.self, from: data) == announcement)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["createdAt"] as? String == "2025-12-15T10:30:00.000Z")
    #expect(object["dateOfDisappearance"] as? String == "2025-12-01")
    #expect(object["photoSHA256"] == nil && object["petNameGiven"] == nil)
  }

  /// An absent name stays absent, but any client of seed 058 still has one to show (decision 36).
  @Test func aPetWithoutANameSaysSo() throws {
    var announcement = try decode()
    #expect(announcement.details.petNameGiven && announcement.details.texts[.reward] == nil)
    (announcement.details.petNameGiven, announcement.details.texts[.reward]) = (false, "100 zł")
    let data = try JSONEncoder().encode(announcement)
    #expect(try JSONDecoder().decode(Announcement.self, from: data) == announcement)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["petNameGiven"] as? Bool == false && object["petName"] as? String == "Max")
    #expect(object["reward"] as? String == "100 zł")
    for (id, name) in [("rabbit", "Rabbit"), ("guinea-pig", "Guinea pig"), ("", "")] {
      #expect(AnnouncementSpecies.petName(forID: id) == name)
    }
  }

  @Test(arguments: [
    ("\"uuid-string\"", "\"\""), ("\"Max\"", "\"\""), ("\"Max\"", "\"   \""),
    ("\"Max\"", "\"\(String(repeating: "x", count: 101))\""), ("\"Max\"", "null"),
    ("\"Dog\"", "\"Dragon\""), ("\"Lost\"", "\"Stolen\""),
    ("52.2297", "90.5"), ("21.0122", "-180.5"), ("52.2297", "\"north\""),
    ("Warsaw, Poland", String(repeating: "a", count: 201)),
    ("Golden Retriever, friendly", String(repeating: "a", count: 501)),
    ("\"John Doe\"", "\"\""), ("+48 123 456 789", "call me"), ("+48 123 456 789", ""),
    ("+48 123 456 789", "48+123456789"),
    ("\"createdAt\": \"2025-12-15T10:30:00Z\"", "\"createdAt\": \"yesterday\""),
    ("\"updatedAt\": \"2025-12-15T10:30:00Z\"", "\"updatedAt\": \"2025-12-15T10:29:59Z\""),
  ])
  func eachBrokenRuleRefusesTheItem(old: String, new: String) {
    #expect(throws: (any Error).self) { try decode(replacing: old, with: new) }
  }

  @Test(arguments: [
    ("\"Max\"", "\"\(String(repeating: "x", count: 100))\""), ("52.2297", "90"), ("52.2297", "-90"),
    ("21.0122", "180"), ("Warsaw, Poland", String(repeating: "a", count: 200)),
    ("Golden Retriever, friendly", String(repeating: "👨‍👩‍👧", count: 444)),
    ("+48 123 456 789", "(22) 123-45-67"), ("\"Lost\"", "\"Found\""),
    ("\"updatedAt\": \"2025-12-15T10:30:00Z\"", "\"updatedAt\": \"2025-12-15 10:30:00\""),
    ("\"updatedAt\": \"2025-12-15T10:30:00Z\"", "\"updatedAt\": \"2025-12-15T10:30:00.250Z\""),
    ("\"description\": \"Golden Retriever, friendly\",", ""),
  ])
  func eachRulesEdgeIsAccepted(old: String, new: String) throws {
    _ = try decode(replacing: old, with: new)
  }

  @Test(arguments: ["\"\"", "\"ftp://example.com/a.jpg\"", "\"not a url\"", "7", "null"])
  func aPhotoAddressThatIsNoneBecomesAPlaceholder(_ address: String) throws {
    let announcement = try decode(replacing: "\"https://example.com/photo.jpg\"", with: address)
    #expect(announcement.photoUrl == nil)
  }

  @Test func withoutAPlaceThereIsNoDistance() throws {
    let announcement = try decode(
      replacing: """
        "location": {"latitude": 52.2297, "longitude": 21.0122, "address": "Warsaw, Poland"},
        """, with: "")
    #expect(announcement.location == nil)
    let point = try #require(Coordinate(latitude: 52, longitude: 21))
    #expect(announcement.distance(from: point) == nil)
    #expect(try decode().distance(from: nil) == nil)
    let own = try #require(Coordinate(latitude: 52.2297, longitude: 21.0122))
    #expect(try decode().distance(from: own) == 0)
  }

  @Test func speciesOfTheTaxonomyMapToTheSeedsWords() {
    let ids = ["dog", "cat", "bird", "rabbit", "rodent", "reptile", "other", "unicorn"]
    #expect(
      ids.map(AnnouncementSpecies.word(forID:))
        == ["Dog", "Cat", "Bird", "Other", "Other", "Other", "Other", "Other"])
  }
}

@Suite struct AnnouncementsResponseTests {
  @Test func oneBadItemNeverCostsTheList() throws {
    let bad = seedExample.replacing("\"Dog\"", with: "\"Dragon\"")
    let second = seedExample.replacing("uuid-string", with: "second")
    let closed = seedExample.replacing("\"Lost\"", with: "\"Closed\"")
    let text =
      "{\"announcements\":[\(bad),7,null,\(seedExample),\(second),\(seedExample),\(closed)]}"
    let response = try JSONDecoder().decode(AnnouncementsResponse.self, from: Data(text.utf8))
    #expect(response.announcements.map(\.id) == ["uuid-string", "second"])
    #expect(response.skipped.map(\.index) == [0, 1, 2, 5, 6])
    #expect(response.skipped.map(\.reason).suffix(2) == ["duplicate", "closed: uuid-string"])
  }

  @Test func anEmptyListIsAListAndAnythingElseIsNot() throws {
    let empty = try JSONDecoder().decode(
      AnnouncementsResponse.self, from: Data("{\"announcements\":[]}".utf8))
    #expect(empty.announcements.isEmpty && empty.skipped.isEmpty)
    for text in ["{}", "[]", "{\"announcements\":{}}"] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(AnnouncementsResponse.self, from: Data(text.utf8))
      }
    }
  }
}

@Suite struct AnnouncementListQueryTests {
  @Test func theSeedsQueries() throws {
    let here = try #require(Coordinate(latitude: 52, longitude: 21))
    let landing = AnnouncementListQuery.landingPageQuery(location: here)
    #expect(landing == AnnouncementListQuery(limit: 5, location: here))
    #expect(landing.sortBy == .createdAtDescending)
    #expect(AnnouncementListQuery.landingPageQuery(location: nil).location == nil)
    let all = AnnouncementListQuery.defaultQuery(location: here)
    #expect(all.limit == nil && all.sortBy == .createdAtDescending && all.location == here)
  }
}

@Suite struct NewAnnouncementTests {
  private func report() -> NewAnnouncement {
    NewAnnouncement(
      species: "dog", breed: "Labrador", sex: .male,
      dateOfDisappearance: CalendarDay("2025-12-01")!, ownerName: "John Doe",
      ownerPhone: "+48 123 456 789")
  }

  @Test func theBodyIsThatOfTheSeed() throws {
    var report = report()
    report.location = Coordinate(latitude: 52.2297, longitude: 21.0122)
    report.age = 5
    report.description = "Black Labrador, very friendly"
    report.petName = "Max"
    let data = try JSONEncoder().encode(report)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(
      Set(object.keys) == [
        "location", "ownerName", "ownerPhone", "species", "breed", "sex", "age",
        "dateOfDisappearance", "description", "petName",
      ])
    #expect(object["dateOfDisappearance"] as? String == "2025-12-01")
    #expect(object["sex"] as? String == "male")
    #expect(
      (object["location"] as? [String: Double]) == ["latitude": 52.2297, "longitude": 21.0122])
  }

  /// Fields without a value are left out, above all a position of 0,0 (lesson P17).
  @Test func absentFieldsAreLeftOut() throws {
    let data = try JSONEncoder().encode(report())
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(
      Set(object.keys) == [
        "ownerName", "ownerPhone", "species", "breed", "sex", "dateOfDisappearance",
      ])
  }

  @Test func allBrokenRulesAreNamedAtOnce() throws {
    let now = try Date("2025-12-01T09:59:59Z", strategy: .iso8601)
    #expect(report().invalidFields(now: now).isEmpty)
    var bad = report()
    (bad.ownerName, bad.ownerPhone, bad.breed, bad.species) = (" ", "123", "", "")
    (bad.age, bad.petName, bad.microchipNumber) = (0, "  ", "12a")
    bad.texts[.reward] = String(repeating: "x", count: 121)
    bad.description = String(repeating: "x", count: 501)
    bad.dateOfDisappearance = CalendarDay("2025-12-03")!
    #expect(
      bad.invalidFields(now: now) == [
        "ownerName", "ownerPhone", "species", "breed", "age", "dateOfDisappearance", "description",
        "petName", "microchipNumber", "reward",
      ])
  }

  /// C strings end at a zero byte, so a store in C would keep only the text before it.
  @Test func aTextWithAZeroByteIsRefused() throws {
    var bad = report()
    (bad.ownerName, bad.species, bad.breed) = ("Jo\0hn", "d\0og", "Lab\0")
    (bad.description, bad.petName, bad.email, bad.texts[.reward]) = ("\0", "M\0", "a\0@b", "\0")
    #expect(
      bad.invalidFields(now: try Date("2025-12-01T09:59:59Z", strategy: .iso8601)) == [
        "ownerName", "species", "breed", "description", "petName", "email", "reward",
      ])
  }

  @Test func todayIsAcceptedWhereverTheReporterLives() throws {
    let beforeAnyoneHasIt = try Date("2025-11-30T09:59:59Z", strategy: .iso8601)
    let onKiritimati = try Date("2025-11-30T10:00:00Z", strategy: .iso8601)
    #expect(report().invalidFields(now: beforeAnyoneHasIt) == ["dateOfDisappearance"])
    #expect(report().invalidFields(now: onKiritimati).isEmpty)
  }
}

@Suite struct PhoneNumberTests {
  @Test(arguments: [
    "1234567", "123456789012345", "+48123456789", "+48 123-456-789", "(22) 123 45 67",
  ])
  func valid(_ text: String) { #expect(PhoneNumber.isValid(text)) }

  @Test(arguments: [
    "", "123456", "1234567890123456", "12+34567", "++1234567", "123456a", "١٢٣٤٥٦٧", "12345⁶7",
    "123.456.789", " ", "+", "1234567\n8",
  ])
  func invalid(_ text: String) { #expect(!PhoneNumber.isValid(text)) }
}
