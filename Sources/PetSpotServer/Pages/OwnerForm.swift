import Announcements
import Foundation
import ReportFlow

/// The fields by which an owner changes an announcement, with the rules of the report's steps.
struct OwnerForm: Sendable {
  static let fields = FlowStep.allCases.flatMap(\.fields)

  /// What stands in the fields.
  let texts: [FormField: String]

  /// What was typed.
  init(_ posted: PostedForm) {
    texts = Dictionary(uniqueKeysWithValues: Self.fields.map { ($0, posted[$0.rawValue]) })
  }

  /// What an announcement says.
  init(_ report: NewAnnouncement) {
    func degrees(_ number: Double?) -> String { number.map { "\($0)" } ?? "" }
    texts = [
      .petName: report.petName ?? "", .species: report.species, .race: report.breed,
      .gender: report.sex.rawValue, .age: report.age.map(String.init) ?? "",
      .date: report.dateOfDisappearance.description,
      .near: report.near ?? "", .latitude: degrees(report.location?.latitude),
      .longitude: degrees(report.location?.longitude), .description: report.description ?? "",
      .name: report.ownerName, .phone: report.ownerPhone, .email: report.email ?? "",
      .reward: report.reward ?? "", .chip: ChipNumber.format(report.microchipNumber ?? ""),
    ]
  }

  /// The same as a step's page has it, to tell two states apart.
  var entries: StepFields {
    StepFields(entries: Self.fields.map { .init(field: $0, text: texts[$0] ?? "") })
  }

  /// What the texts make of a report, or every error at once.
  func change(
    taxonomy: SpeciesTaxonomy, now: Date
  ) -> Result<@Sendable (inout NewAnnouncement) -> Void, ValidationErrors> {
    var (input, contact) = (DescriptionInput(), ContactInput())
    func text(_ field: FormField) -> String { texts[field] ?? "" }
    let day = CalendarDay(text(.date).trimmingCharacters(in: .whitespacesAndNewlines))
    (input.date, input.species) = (day, taxonomy.option(id: text(.species)))
    (input.race, input.gender) = (text(.race), Gender(rawValue: text(.gender)))
    (input.age, input.petName) = (text(.age), text(.petName))
    (input.latitude, input.longitude) = (text(.latitude), text(.longitude))
    input.near = String(text(.near).prefix(Announcement.longestNear))
    input.additionalDescription = String(
      text(.description).prefix(DescriptionRules.longestDescription))
    (contact.name, contact.phone, contact.email) = (text(.name), text(.phone), text(.email))
    contact.reward = String(text(.reward).prefix(ContactRules.longestReward))
    var errors: [ValidationError] = day == nil ? [.missingDate] : []
    let details = DescriptionRules.details(
      from: input, today: CalendarDay(now, in: .latest), now: now)
    let person = ContactRules.details(from: contact)
    if case .failure(let found) = details { errors += found.errors }
    if case .failure(let found) = person { errors += found.errors }
    guard errors.isEmpty, case .success(let details) = details, case .success(let person) = person
    else { return .failure(ValidationErrors(errors)) }
    let (name, chip) = (input.petName, ChipNumber.digits(text(.chip)))
    return .success { report in
      (report.species, report.breed) = (details.species.id, details.race)
      (report.sex, report.age) = (details.gender, details.age)
      report.dateOfDisappearance = details.disappearanceDate
      (report.location, report.near) = (details.coordinate, details.near)
      report.description = details.additionalDescription
      let trimmed = name.trimmingCharacters(in: .whitespacesAndNewlines)
      report.petName = trimmed.isEmpty ? nil : trimmed
      (report.ownerName, report.ownerPhone) = (person.name, person.phone)
      (report.email, report.reward) = (person.email, person.rewardDescription)
      report.microchipNumber = chip.isEmpty ? nil : chip
    }
  }
}
