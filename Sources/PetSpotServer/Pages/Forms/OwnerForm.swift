import Announcements
import Foundation
import ReportFlow

/// The fields with which an owner changes an announcement. They follow the rules of the report's steps.
struct OwnerForm: Sendable {
  static let fields = FlowStep.allCases.flatMap(\.fields)

  /// The text of each field.
  let texts: [FormField: String]

  /// Reads a posted form.
  init(_ posted: PostedForm) {
    texts = Dictionary(uniqueKeysWithValues: Self.fields.map { ($0, posted[$0.rawValue]) })
  }

  /// Creates the form from the texts of a refused one.
  init(_ texts: [FormField: String]) { self.texts = texts }

  /// Creates the form from the announcement's current content.
  init(_ report: NewAnnouncement) {
    func degrees(_ number: Double?) -> String { number.map { "\($0)" } ?? "" }
    let texts: [FormField: String?] = [
      .petName: report.petName, .species: report.species, .race: report.breed,
      .gender: report.sex.rawValue, .age: report.age.map(String.init),
      .date: report.dateOfDisappearance.description,
      .latitude: degrees(report.location?.latitude),
      .longitude: degrees(report.location?.longitude), .description: report.description,
      .name: report.ownerName, .phone: report.ownerPhone, .email: report.email,
      .chip: ChipNumber.format(report.microchipNumber ?? ""),
    ]
    self.texts = texts.mapValues { $0 ?? "" }
      .merging(PublishedTexts.fields.map { ($0, report.texts[$0] ?? "") }) { $1 }
  }

  /// Returns the text that a field shows. Degrees have the language's decimal separator.
  func shown(_ field: FormField, in words: Words) -> String {
    let text = texts[field] ?? ""
    let sign = words("number.decimalSign")
    return field == .latitude || field == .longitude ? text.replacing(".", with: sign) : text
  }

  /// The fields in the structure of a step's page, for comparing two states.
  var entries: StepFields {
    StepFields(entries: Self.fields.map { .init(field: $0, text: texts[$0] ?? "") })
  }

  /// Returns the change that the texts make to a report, or all errors at once.
  func change(
    taxonomy: SpeciesTaxonomy, now: Date
  ) -> Result<@Sendable (inout NewAnnouncement) -> Void, ValidationErrors> {
    var input = DescriptionInput()
    var contact = TypedTexts()
    func text(_ field: FormField) -> String { texts[field] ?? "" }
    let day = CalendarDay(text(.date).trimmingCharacters(in: .whitespacesAndNewlines))
    input.date = day
    input.species = taxonomy.option(id: text(.species))
    input.gender = Gender(rawValue: text(.gender))
    for field in Self.fields where field.isText {
      input[field] = text(field)
      contact[field] = text(field)
    }
    var errors: [ValidationError] = day == nil ? [.missingDate] : []
    let details = DescriptionRules.details(
      from: input, today: CalendarDay(now, in: .latest), now: now)
    let person = ContactRules.details(from: contact)
    if case .failure(let found) = details { errors += found.errors }
    if case .failure(let found) = person { errors += found.errors }
    guard errors.isEmpty, case .success(let details) = details, case .success(let person) = person
    else { return .failure(ValidationErrors(errors)) }
    let name = input[.petName].trimmingCharacters(in: .whitespacesAndNewlines)
    let chip = ChipNumber.digits(text(.chip))
    return .success {
      $0.replaceFields(
        details, person, petName: name.isEmpty ? nil : name, chip: chip.isEmpty ? nil : chip)
    }
  }
}
