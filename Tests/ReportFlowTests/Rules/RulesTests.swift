import Announcements
import Foundation
import TestReports
import Testing

@testable import ReportFlow

@Suite struct ChipNumberTests {
  @Test(arguments: [
    ("", ""), ("1234", "1234"), ("12345", "12345"), ("123456", "12345-6"),
    ("12345678901", "12345-67890-1"), ("123456789012345", "12345-67890-12345"),
    ("1234567890123456789", "12345-67890-12345"), ("12345-67890-1", "12345-67890-1"),
    ("abc123def456", "12345-6"), ("٣٤٥12²½", "12"), ("00012", "00012"),
  ])
  func format(text: String, formatted: String) {
    #expect(ChipNumber.format(text) == formatted)
    #expect(ChipNumber.format(formatted) == formatted)
    #expect(ChipNumber.digits(formatted) == formatted.replacing("-", with: ""))
  }
}

@Suite struct CoordinateRulesTests {
  @Test(arguments: [
    ("52.2297", 52.2297), ("  52.2297\n", 52.2297), ("52,2297", 52.2297), ("-0.5", -0.5),
    ("\u{2212}33,8", -33.8), ("90", 90), ("0", 0), ("\u{A0}7\u{A0}", 7), (".5", 0.5), ("-,5", -0.5),
    ("5.", 5), ("52,", 52), ("+5", 5), ("+21,0122", 21.0122),
  ])
  func numbers(text: String, number: Double) {
    #expect(CoordinateRules.number(text) == number)
  }

  /// With its sign, zero would be shown as `-0.0`.
  @Test(arguments: ["-0", "-0.0", "-0,000"]) func aZeroHasNoSign(_ text: String) {
    #expect(CoordinateRules.number(text)?.sign == .plus)
  }

  /// Forms that number parsers accept but people don't type (lesson P18).
  @Test(arguments: [
    "", "abc", "0x10", "1e1", "+", "+.", "5.,", ".", "-.", "+-5", "1.2.3", "1 2", "nan", "inf",
    "٥٢", "52°", "--1", "52,2297,1", "1_0",
  ])
  func noNumbers(_ text: String) { #expect(CoordinateRules.number(text) == nil) }

  @Test(arguments: [
    ("", ""), (" ", "\n"), ("90", "180"), ("-90", "-180"), ("0", "0"), (" 52,2297 ", " 21.0122 "),
  ])
  func valid(latitude: String, longitude: String) {
    let result = CoordinateRules.validate(latitude: latitude, longitude: longitude)
    #expect(result == .valid && result.isValid)
  }

  private static let invalidPairs: [(String, String, TextKey?, TextKey?)] = [
    ("100", "20", "location.latitudeRange", nil),
    ("50", "200", nil, "location.longitudeRange"),
    ("90.00001", "-180.00001", "location.latitudeRange", "location.longitudeRange"),
    ("", "200", "location.latitudeMissing", "location.longitudeRange"),
    ("100", "", "location.latitudeRange", "location.longitudeMissing"),
    ("abc", "", "location.format", "location.longitudeMissing"),
    ("", "xyz", "location.latitudeMissing", "location.longitudeFormat"),
    ("abc", "xyz", "location.format", "location.longitudeFormat"),
    ("52.2", "", nil, "location.longitudeMissing"), ("", "21", "location.latitudeMissing", nil),
  ]

  @Test(arguments: invalidPairs)
  func invalid(latitude: String, longitude: String, latError: TextKey?, longError: TextKey?) {
    let result = CoordinateRules.validate(latitude: latitude, longitude: longitude)
    #expect(result == .invalid(latError: latError, longError: longError))
    #expect(!result.isValid)
  }
}

@Suite struct AgeRuleTests {
  @Test(arguments: [("", nil), (" ", nil), ("0", nil), ("1", 1), ("05", 5), (" 40 ", 40)])
  func valid(text: String, age: Int?) throws {
    #expect(try AgeRule.age(text).get() == age)
  }

  @Test(arguments: ["41", "50", "-1", "9999", "99999999999999999999"])
  func invalid(_ text: String) {
    #expect(throws: ValidationError.invalidAge("age.invalid")) { try AgeRule.age(text).get() }
  }

  /// The error has the seed's sentence, followed by an example.
  @Test(arguments: ["3.5", "3,5", "abc", "٥", "1e1", "0x5", "+5", "5 months"])
  func notWhole(_ text: String) {
    let error = ValidationError.invalidAge("age.notWhole")
    #expect(throws: error) { try AgeRule.age(text).get() }
    #expect(error.message(in: english).hasPrefix("Age must be between 0 and 40"))
  }
}

@Suite struct ContactRulesTests {
  private func input(
    name: String = "Ola", phone: String = "1234567", email: String = "", reward: String = ""
  ) -> TypedTexts {
    var input = TypedTexts()
    (input[.name], input[.phone], input[.email], input[.reward]) = (name, phone, email, reward)
    return input
  }

  @Test func requiredAndOptionalFields() throws {
    let least = try ContactRules.details(from: input(name: " Ola ", phone: " +48 600-111-222 "))
      .get()
    #expect(least == ContactDetails(name: "Ola", phone: "+48 600-111-222"))
    let most = try ContactRules.details(
      from: input(email: " Ola@Example.org ", reward: " A cake ")
    ).get()
    #expect(most.email == "Ola@Example.org")
    #expect(most.rewardDescription == " A cake ")
  }

  @Test func allErrorsAtOnce() {
    #expect(
      throws: ValidationErrors([
        .missingName, .invalidPhone("contact.phoneTooShort"), .invalidEmail,
      ])
    ) {
      try ContactRules.details(from: input(name: " ", phone: "", email: "ola")).get()
    }
  }

  @Test(arguments: [
    ("123456", TextKey("contact.phoneTooShort")), ("", "contact.phoneTooShort"),
    ("1234567890123456", "contact.phoneTooLong"), ("12+34567", "contact.phoneCharacters"),
    ("1234567 ext", "contact.phoneCharacters"), ("١٢٣٤٥٦٧", "contact.phoneTooShort"),
    ("call 1234567", "contact.phoneCharacters"), ("123456⁷", "contact.phoneTooShort"),
  ])
  func phoneErrors(phone: String, text: TextKey) {
    #expect(throws: ValidationErrors([.invalidPhone(text)])) {
      try ContactRules.details(from: input(phone: phone)).get()
    }
  }

  @Test(arguments: [
    "a@b.pl", "Ola.Nowak+pies@sub.example.org", "x_1%2-3@ex-ample.com", "OLA@EXAMPLE.ORG",
  ])
  func emails(_ text: String) { #expect(ContactRules.isEmail(text)) }

  @Test(arguments: [
    "ola", "ola@", "@b.pl", "a@b", "a@b.p", "a..b@c.pl", ".a@b.pl", "a.@b.pl", "a b@c.pl",
    "a@b..pl", "a@-b.pl", "a@b-.pl", "ą@b.pl", "a@b.pl\n", "a@b@c.pl",
    "\(String(repeating: "a", count: 250))@b.pl",
  ])
  func noEmails(_ text: String) { #expect(!ContactRules.isEmail(text)) }
}

@Suite struct DescriptionRulesTests {
  private func input() -> DescriptionInput {
    var input = DescriptionInput()
    (input.species, input[.race], input.gender) = (dog, "  Labrador  ", .female)
    return input
  }

  private func details(_ input: DescriptionInput) throws -> AnimalDescriptionDetails {
    try DescriptionRules.details(
      from: input, today: day("2025-11-20"), now: instant("2025-11-20T11:00:00Z")
    ).get()
  }

  @Test func requiredFieldsAlone() throws {
    let details = try details(input())
    #expect(details.disappearanceDate == (day("2025-11-20")))
    #expect(details.race == "Labrador")
    #expect(details.age == nil && details.latitude == nil && details.longitude == nil)
    #expect(details.additionalDescription == nil)
    #expect(details.lastUpdated == (instant("2025-11-20T11:00:00Z")))
  }

  /// The checked values are the stored ones: trimmed numbers, neither nil nor 0,0 (lesson P17).
  @Test func coordinatesAreStoredFromTheTrimmedText() throws {
    var input = input()
    (input[.latitude], input[.longitude]) = ("  52.2297  ", "\t21,0122")
    let details = try details(input)
    #expect(details.latitude == 52.2297 && details.longitude == 21.0122)
  }

  @Test func everyErrorAtOnceInTheOrderOfTheFields() throws {
    var input = DescriptionInput()
    (input.date, input[.race], input[.age]) = (day("2025-11-21"), " ", "41")
    (input[.latitude], input[.longitude]) = ("91", "")
    let expected: [ValidationError] = [
      .futureDate, .missingSpecies, .missingRace, .missingGender, .invalidAge("age.invalid"),
      .invalidLatitude("location.latitudeRange"), .invalidLongitude("location.longitudeMissing"),
    ]
    #expect(throws: ValidationErrors(expected)) { try details(input) }
    #expect(
      expected.map(\.field) == [.date, .species, .race, .gender, .age, .latitude, .longitude])
    #expect(expected[4].code == "invalid-age")
  }

  /// A future date and a missing species, race or gender are always refused (seed 021, SC-002).
  @Test func noneOfTheRequiredFieldsCanBeMissing() throws {
    let changes: [(ValidationError, (inout DescriptionInput) -> Void)] = [
      (.futureDate, { $0.date = CalendarDay("2025-11-21") }),
      (.missingSpecies, { $0.species = nil }),
      (.missingRace, { $0[.race] = "\n" }), (.missingGender, { $0.gender = nil }),
    ]
    for (error, change) in changes {
      var input = input()
      change(&input)
      #expect(throws: ValidationErrors([error])) { try details(input) }
    }
  }

  /// The form and announcements, here and on a server, have the same limit for a breed.
  @Test(arguments: [("é", 100, true), ("👨‍👩‍👧", 88, true), ("a", 101, false)])
  func breedHasOneLimit(letter: String, count: Int, isValid: Bool) throws {
    var input = input()
    input[.race] = " " + String(repeating: letter, count: count) + "\n"
    let found = DescriptionRules.details(from: input, today: day("2025-11-20"), now: Date())
    switch found {
    case .success(let details): #expect(isValid && details.race.count == count)
    case .failure(let errors): #expect(!isValid && errors.errors == [.invalidRace("race.tooLong")])
    }
    var report = NewAnnouncement(
      species: "dog", breed: input[.race].trimmed, sex: .male,
      dateOfDisappearance: day("2025-11-20"), ownerName: "Ola", ownerPhone: "1234567")
    #expect(report.invalidFields(now: instant("2025-11-20T11:00:00Z")).isEmpty == isValid)
    report.breed = ""
    #expect(report.invalidFields(now: instant("2025-11-20T11:00:00Z")) == ["breed"])
  }

  @Test func messagesOfTheSeedInBothLanguages() {
    #expect(ValidationError.missingSpecies.message(in: english) == "Please select a species")
    #expect(
      ValidationError.missingRace.message(in: english) == "Please enter the animal's breed/race")
    #expect(ValidationError.missingGender.message(in: english) == "Please select a gender")
    #expect(
      ValidationError.invalidAge("age.invalid").message(in: english)
        == "Age must be between 0 and 40"
    )
    #expect(
      ValidationError.invalidLatitude("location.latitudeRange").message(in: english)
        == "Latitude must be between -90 and 90")
    #expect(
      ValidationError.invalidLongitude("location.longitudeRange").message(in: english)
        == "Longitude must be between -180 and 180")
    #expect(ValidationError.missingDate.message(in: polish) == "Wybierz datę")
    #expect(ValidationError.missingGender.message(in: polish) == "Wybierz płeć")
  }

  @Test func everyErrorHasItsOwnCodeAndField() {
    let errors: [ValidationError] = [
      .missingPhoto, .missingDate, .futureDate, .missingSpecies, .missingRace,
      .invalidRace("race.tooLong"), .missingGender,
      .invalidAge("age.invalid"), .invalidLatitude("location.format"),
      .invalidLongitude("location.longitudeFormat"), .invalidPetName("petName.tooLong"),
      .missingName,
      .invalidPhone("contact.phoneTooShort"), .invalidEmail,
    ]
    #expect(Set(errors.map(\.code)).count == errors.count)
    for error in errors {
      #expect(error.code.wholeMatch(of: /[a-z]+(-[a-z]+)+/) != nil)
      #expect(error.message(in: english) != error.message(in: polish))
    }
    #expect(
      errors.map(\.field) == [
        .photo, .date, .date, .species, .race, .race, .gender, .age, .latitude, .longitude,
        .petName, .name, .phone, .email,
      ])
  }
}

@Suite struct PetNameRuleTests {
  /// The list accepts names of at most 100 characters as people count them, and the form checks that first.
  @Test(arguments: [
    ("", true), (String(repeating: "é", count: 100), true),
    ("  " + String(repeating: "👨‍👩‍👧", count: 88) + " ", true),
    (String(repeating: "a", count: 101), false),
  ])
  func length(name: String, isValid: Bool) {
    var input = DescriptionInput()
    input[.petName] = name
    let day = CalendarDay(year: 2025, month: 12, day: 1)
    guard let day,
      case .failure(let errors) = DescriptionRules.details(from: input, today: day, now: Date())
    else {
      Issue.record("an empty form is not valid")
      return
    }
    #expect(errors.errors.contains(.invalidPetName("petName.tooLong")) == !isValid)
  }
}
