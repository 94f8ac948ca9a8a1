import Announcements
import Foundation
import TestReports
import Testing

@testable import ReportFlow

@Suite struct ReportDraftTests {
  private let now = Date(timeIntervalSince1970: 1_763_636_400)  // 20 November 2025, 11:00 UTC
  private func flowContext(photo: Bool = true) throws -> FlowContext {
    FlowContext(today: day("2025-11-20"), now: now, photoIsValid: photo)
  }
  private func draft() -> ReportDraft { ReportDraft(id: "default", submissionKey: UUID()) }

  /// Returns a draft whose four steps are done.
  private func completed() throws -> ReportDraft {
    var draft = draft()
    draft.handle(.continued(.chip, try flowContext()))
    draft.handle(.continued(.photo, try flowContext()))
    for edit: FlowEdit in [.species(dog), .race("Labrador"), .gender(.male)] {
      draft.handle(.edited(edit))
    }
    draft.handle(.continued(.description, try flowContext()))
    draft.handle(.edited(.name("John Doe")))
    draft.handle(.edited(.phone("1234567")))
    #expect(draft.handle(.continued(.contact, try flowContext())) == .moved(to: .summary))
    return draft
  }

  @Test func theStepsAreInOrderAndHaveNumbers() {
    #expect(FlowStep.allCases == [.chip, .photo, .description, .contact, .summary])
    #expect(FlowStep.allCases.map(\.number) == [1, 2, 3, 4, nil])
  }

  @Test func aNewDraftIsEmpty() {
    let draft = draft()
    #expect(draft.step == .chip && draft.completedSteps.isEmpty && draft.submission == nil)
    #expect(draft.chipNumber == nil && draft.animalDescription == nil && draft.petName == nil)
    #expect(draft.contactDetails == nil && draft.locationCapture == nil)
    #expect(draft.missingSteps == [.photo, .description, .contact])
  }

  @Test func continueLeadsThroughTheStepsAndTheSummaryWaitsForTheAnnouncement() throws {
    var draft = try completed()
    #expect(draft.step == .contact)
    #expect(draft.missingSteps.isEmpty)
    #expect(draft.handle(.submitting(managementPassword: "p")) == .changed)
    #expect(draft.handle(.announced(id: "a", key: draft.submissionKey)) == .changed)
    #expect(draft.step == .contact)
    #expect(draft.handle(.photoSent(id: "a")) == .moved(to: .summary))
    #expect(draft.step == .summary)
    #expect(draft.handle(.back) == .unchanged)
    #expect(draft.handle(.passwordShown) == .changed)
    #expect(
      draft.submission == Submission(announcementID: "a", managementPassword: nil, isComplete: true)
    )
  }

  @Test func backGoesOneStepAndLeavesFromTheFirst() throws {
    var draft = try completed()
    #expect(draft.handle(.back) == .moved(to: .description))
    #expect(draft.handle(.back) == .moved(to: .photo))
    #expect(draft.handle(.back) == .moved(to: .chip))
    #expect(draft.handle(.back) == .left)
    #expect(draft.animalDescription != nil && draft.contactDetails != nil)
  }

  /// Input survives Back, but takes effect only with Continue (lesson P22, seed 031 section 6).
  @Test func backKeepsWhatWasTypedAndCountsNothing() throws {
    var draft = draft()
    draft.handle(.continued(.chip, try flowContext()))
    draft.handle(.continued(.photo, try flowContext()))
    draft.handle(.edited(.species(dog)))
    draft.handle(.edited(.race("Pug")))
    draft.handle(.back)
    #expect(draft.animalDescription == nil)
    #expect(draft.descriptionInput[.race] == "Pug")
  }

  @Test func aRefusedContinueKeepsTheStepAndTheDetailsBefore() throws {
    var draft = try completed()
    let before = draft.animalDescription
    draft.handle(.back)
    draft.handle(.edited(.race("")))
    #expect(draft.handle(.continued(.description, try flowContext())) == .refused([.missingRace]))
    #expect(draft.step == .description)
    #expect(draft.animalDescription == before)
  }

  @Test func withoutAPhotoTheStepIsNotDone() throws {
    var draft = try completed()
    #expect(
      draft.handle(.continued(.photo, try flowContext(photo: false))) == .refused([.missingPhoto]))
    #expect(draft.missingSteps == [.photo])
    #expect(draft.handle(.submitting(managementPassword: "p")) == .unchanged)
  }

  @Test(arguments: [
    ("", nil), ("123", "123"), ("12345-67890-12345", "123456789012345"), ("abc", nil),
    ("00012", "00012"),
  ])
  func theChipIsOptionalAndKeptAsDigits(text: String, digits: String?) throws {
    var draft = draft()
    draft.handle(.edited(.chip(text)))
    #expect(draft.handle(.continued(.chip, try flowContext())) == .moved(to: .photo))
    #expect(draft.chipNumber == digits)
  }

  @Test(arguments: [("Max", "Max"), ("  Max  ", "Max"), ("   ", nil), ("", nil), ("🐶\n", "🐶")])
  func thePetNameIsTrimmedAndEmptyIsNone(text: String, name: String?) throws {
    var draft = try completed()
    draft.handle(.edited(.petName(text)))
    draft.handle(.continued(.description, try flowContext()))
    #expect(draft.petName == name)
    #expect(draft.descriptionInput[.petName] == text)
  }

  @Test func anotherSpeciesClearsTheRaceAndTheSameDoesNot() {
    var draft = draft()
    draft.handle(.edited(.race("ignored without a species")))
    #expect(draft.descriptionInput[.race] == "")
    draft.handle(.edited(.species(dog)))
    draft.handle(.edited(.race("Pug")))
    #expect(draft.handle(.edited(.species(dog))) == .unchanged)
    #expect(draft.descriptionInput[.race] == "Pug")
    draft.handle(.edited(.species(cat)))
    #expect(draft.descriptionInput[.race] == "")
  }

  /// The limit is 500 characters as people count them: a family emoji is one.
  @Test func theDescriptionHasAtMost500Characters() {
    var draft = draft()
    draft.handle(.edited(.additionalDescription(String(repeating: "👍🏽", count: 501))))
    #expect(draft.descriptionInput[.description] == String(repeating: "👍🏽", count: 500))
    // If the text has more than 16 bytes per character, it is cut so that Continue refuses it.
    draft.handle(.edited(.additionalDescription(String(repeating: "👨‍👩‍👧‍👦", count: 500))))
    #expect(
      draft.descriptionInput[.description]
        == String(repeating: "👨‍👩‍👧‍👦", count: 500 * 16 / 25) + "👨")
    draft.handle(.edited(.reward(String(repeating: "é", count: 130))))
    #expect(draft.contactInput[.reward].count == 120)
  }

  @Test func aFutureDateIsRefusedAndThePriorOneStays() throws {
    var draft = draft()
    let today = day("2025-11-20")
    draft.handle(.edited(.date(day("2025-11-18"), today: today)))
    let outcome = draft.handle(.edited(.date(day("2025-11-21"), today: today)))
    #expect(outcome == .refused([.futureDate]))
    #expect(draft.descriptionInput.date == (day("2025-11-18")))
    #expect(draft.handle(.edited(.date(today, today: today))) == .changed)
  }

  /// Any edit makes the capture manual, even of values that came from GPS (seed 021, FR-010).
  @Test func anEditMakesTheCaptureManual() throws {
    var draft = try completed()
    let gps = LocationContext(now: now, authorization: .authorizedWhenInUse)
    let later = LocationContext(now: now + 60, authorization: .authorizedWhenInUse)
    draft.handle(.edited(.captured(point(52.2297, 21.0122), .gps, gps)))
    #expect(draft.descriptionInput[.latitude] == "52.22970")
    #expect(draft.descriptionInput[.longitude] == "21.01220")
    #expect(
      draft.descriptionInput.capture
        == LocationCapture(
          latitude: 52.2297, longitude: 21.0122, captureMethod: .gps, timestamp: now,
          permissionStatus: .authorizedWhenInUse))
    #expect(draft.handle(.edited(.latitude("52.22970", later))) == .unchanged)
    #expect(draft.descriptionInput.capture?.captureMethod == .gps)
    draft.handle(.edited(.longitude("21,1", later)))
    #expect(draft.descriptionInput.capture?.captureMethod == .manual)
    #expect(draft.descriptionInput.capture?.longitude == 21.1)
    #expect(draft.descriptionInput.capture?.timestamp == now + 60)
    draft.handle(.continued(.description, try flowContext()))
    #expect(draft.locationCapture?.captureMethod == .manual)
    draft.handle(.edited(.latitude("", later)))
    draft.handle(.edited(.longitude("", later)))
    #expect(draft.descriptionInput.capture == nil)
    draft.handle(.continued(.description, try flowContext()))
    #expect(draft.locationCapture == nil && draft.animalDescription?.coordinate == nil)
  }

  /// The draft keeps the published values.
  @Test func onceAnnouncedTheWordsAreFixedAndThePhotoIsNot() throws {
    var draft = try completed()
    draft.announce()
    let before = draft
    draft.handle(.edited(.name("Somebody Else")))
    draft.handle(.edited(.race("Pug")))
    #expect(draft == before)
    draft.handle(.back)
    draft.handle(.back)
    #expect(draft.handle(.continued(.photo, try flowContext())) == .moved(to: .description))
    #expect(draft.handle(.continued(.description, try flowContext())) == .moved(to: .contact))
    #expect(draft.handle(.continued(.contact, try flowContext())) == .moved(to: .summary))
    #expect(draft.animalDescription == before.animalDescription)
  }

  /// All processes that submit one draft use one password: the first that was stored.
  @Test func theFirstPasswordStaysWhoeverSubmits() throws {
    var draft = try completed()
    let key = draft.submissionKey
    #expect(draft.handle(.submitting(managementPassword: "p")) == .changed)
    #expect(draft.handle(.submitting(managementPassword: "q")) == .unchanged)
    #expect(!draft.isAnnounced && draft.submission?.managementPassword == "p")
    #expect(draft.handle(.announced(id: "a", key: UUID())) == .unchanged)
    #expect(draft.handle(.announced(id: "a", key: key)) == .changed)
    #expect(draft.handle(.passwordShown) == .unchanged)
    #expect(draft.handle(.photoSent(id: "b")) == .unchanged)
    #expect(draft.submission?.managementPassword == "p" && draft.submissionKey == key)
  }

  /// A server chooses the password itself, and only the password it returns closes the announcement.
  @Test func aServersPasswordTakesThePlaceOfOurs() throws {
    var draft = try completed()
    let key = draft.submissionKey
    draft.handle(.submitting(managementPassword: "p"))
    let other = FlowEvent.announced(id: "a", key: UUID(), managementPassword: "s")
    #expect(draft.handle(other) == .unchanged)
    #expect(draft.submission?.managementPassword == "p")
    draft.handle(.announced(id: "a", key: key, managementPassword: "s"))
    #expect(draft.submission?.managementPassword == "s")
    draft.handle(.photoSent(id: "a"))
    // The password was shown and deleted, so a late response doesn't restore it.
    draft.handle(.passwordShown)
    draft.handle(.announced(id: "a", key: key, managementPassword: "s"))
    #expect(draft.submission?.managementPassword == nil)
  }

  /// A key belongs to the values that were sent with it.
  @Test func wordsThatChangeAfterATryGetAnotherKey() throws {
    var draft = try completed()
    let key = draft.submissionKey
    draft.handle(.submitting(managementPassword: "p"))
    draft.handle(.continued(.contact, try flowContext()))
    #expect(draft.submissionKey == key && draft.submission != nil)
    draft.handle(.edited(.name("Jane")))
    #expect(draft.handle(.announced(id: "a", key: key)) == .unchanged)
    draft.handle(.continued(.contact, try flowContext()))
    #expect(draft.submissionKey != key && draft.submission == nil)
    draft.handle(.submitting(managementPassword: "q"))
    let second = draft.submissionKey
    draft.handle(.notAnnounced(key: second, newKey: key))
    #expect(draft.submissionKey == key && draft.submission == nil)
  }

  /// The submitted values are those shown. A form that changed or was refused has to become valid again.
  @Test func aStepWhoseFormChangedIsNotDoneUntilContinue() throws {
    let edits: [(FlowEdit, FlowStep)] = [
      (.chip("123"), .chip), (.race("Pug"), .description), (.name("Jane"), .contact),
      (.date(day("2025-11-01"), today: day("2025-11-20")), .description), (.phone("1"), .contact),
    ]
    for (edit, step) in edits {
      var draft = try completed()
      draft.handle(.edited(edit))
      #expect(draft.missingSteps == [step])
      #expect(draft.handle(.submitting(managementPassword: "p")) == .unchanged)
    }
    var draft = try completed()
    draft.handle(.edited(.age("99")))
    #expect(draft.handle(.continued(.description, try flowContext())) != .moved(to: .contact))
    draft.handle(.edited(.age("9")))
    #expect(draft.missingSteps == [.description])
    draft.handle(.continued(.description, try flowContext()))
    #expect(draft.missingSteps.isEmpty && draft.animalDescription?.age == 9)
    draft.handle(.reopened(.description))
    #expect(draft.missingSteps == [.description])
  }

  /// Without a chosen day, the day is the one on which the form is accepted (seed 021, FR-003).
  @Test func aRefusedContinueChoosesNoDay() throws {
    var draft = draft()
    var context = try flowContext()
    (context.today, context.shownDay) = (day("2025-11-21"), day("2025-11-21"))
    draft.handle(.edited(.species(dog)))
    draft.handle(.continued(.description, context))
    #expect(draft.descriptionInput.date == nil)
    (context.today, context.shownDay) = (day("2025-11-19"), day("2025-11-19"))
    for edit: FlowEdit in [.race("Labrador"), .gender(.male)] {
      draft.handle(.edited(edit))
    }
    #expect(draft.handle(.continued(.description, context)) == .moved(to: .contact))
    #expect(draft.animalDescription?.disappearanceDate == day("2025-11-19"))
  }

  @Test func clearedIsNewAndHasANewKey() throws {
    var draft = try completed()
    let key = UUID()
    draft.handle(.cleared(newKey: key))
    #expect(draft == ReportDraft(id: "default", submissionKey: key))
  }

  @Test func everyFieldSurvivesCoding() throws {
    var draft = try completed()
    let context = LocationContext(now: now, authorization: .denied)
    draft.handle(.edited(.latitude("1", context)))
    draft.handle(.edited(.longitude("2", context)))
    draft.handle(.continued(.description, try flowContext()))
    draft.announce()
    let data = try JSONEncoder().encode(draft)
    #expect(try JSONDecoder().decode(ReportDraft.self, from: data) == draft)
  }
}

extension ReportDraft {
  /// Records that an announcement was created from the draft.
  mutating func announce() {
    handle(.submitting(managementPassword: "p"))
    #expect(handle(.announced(id: "a", key: submissionKey)) == .changed)
  }
}
