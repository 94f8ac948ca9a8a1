import Announcements
import Foundation
import TestPictures
import TestReports
import Testing

@testable import ReportFlow

/// The flow as a table of a few facts, written independently of the draft's own code.
private struct ReferenceFlow {
  var step = 0  // 0 chip, 1 photo, 2 description, 3 contact, 4 summary
  var done: Set<Int> = []
  var (chip, race, phone, name) = ("", "", "", "")
  var (species, gender): (String?, Gender?) = (nil, nil)
  var committed: [Int: String] = [:]
  var (tried, announced, complete, password): (Bool, Bool, Bool, String?) = (
    false, false, false, nil
  )

  var descriptionIsValid: Bool {
    species != nil && gender != nil && race.contains { !$0.isWhitespace }
  }
  var contactIsValid: Bool {
    name.contains { !$0.isWhitespace } && (7...15).contains(phone.filter(\.isNumber).count)
  }
  var isReady: Bool { done.isSuperset(of: [1, 2, 3]) && chip == committed[0] ?? "" }

  /// Edits a field of a step. If a value changes, the step is no longer done.
  mutating func edit(_ step: Int, _ change: (inout Self) -> Void) {
    if announced { return }
    let before = (chip, race, phone, name, species, gender)
    change(&self)
    let same =
      (before.0, before.1, before.2, before.3) == (chip, race, phone, name)
      && (before.4, before.5) == (species, gender)
    if !same { done.remove(step) }
  }

  mutating func continued(_ which: Int, photo: Bool) {
    if step == 4 { return }
    if which == 1 && !photo {
      done.remove(1)
      return
    }
    if !announced {
      if which == 2 && !descriptionIsValid || which == 3 && !contactIsValid {
        done.remove(which)
        return
      }
      let before = committed
      if which == 0 { committed[0] = chip }
      if which == 2 {
        (committed[2], committed[5]) = (race.trimmed, "\(species ?? "") \(gender!)")
      }
      if which == 3 { (committed[3], committed[4]) = (phone.trimmed, name.trimmed) }
      // If the values differ from those that an attempt may have sent, the key and the password change.
      if tried, committed.filter({ $0.value != "" }) != before.filter({ $0.value != "" }) {
        (tried, password) = (false, nil)
      }
    }
    done.insert(which)
    step = which == 3 ? 3 : which + 1
  }
}

@Suite struct FlowRandomWalkTests {
  /// 100,000 random steps give no difference from the reference. Every message has the seed.
  @Test func theDraftAndAReferenceNeverDiffer() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("flow random walk: seed \(seed)")
    var generator = SeededGenerator(state: seed)
    let context = FlowContext(today: day("2025-11-20"), now: Date(timeIntervalSince1970: 0))
    let texts = ["", " ", "Pug", "1234567", "123", "+48 600 111 222"]
    var draft = ReportDraft(id: "walk", submissionKey: UUID())
    var model = ReferenceFlow()
    var visits: [Int: Int] = [:]

    for count in 1...100_000 {
      let text = texts.randomElement(using: &generator)!
      var dice = Int.random(in: 0..<16, using: &generator)
      // Typing undoes steps, so without a preferred order no walk would reach the end.
      if dice < 6, Int.random(in: 0..<4, using: &generator) > 0 { dice = 6 }
      if model.isReady, Bool.random(using: &generator) {
        dice = Int.random(in: 10...12, using: &generator)
      }
      switch dice {
      case 0:
        draft.handle(.edited(.chip(text)))
        model.edit(0) { $0.chip = text.filter(\.isNumber) }
      case 1:
        draft.handle(.edited(.race(text)))
        model.edit(2) { if $0.species != nil { $0.race = text } }
      case 2:
        let species = [dog, cat, nil].randomElement(using: &generator)!
        draft.handle(.edited(.species(species)))
        model.edit(2) {
          if species?.id != $0.species { $0.race = "" }
          $0.species = species?.id
        }
      case 3:
        let gender = [Gender.male, .female, nil].randomElement(using: &generator)!
        draft.handle(.edited(.gender(gender)))
        model.edit(2) { $0.gender = gender }
      case 4:
        draft.handle(.edited(.phone(text)))
        model.edit(3) { $0.phone = text }
      case 5:
        draft.handle(.edited(.name(text)))
        model.edit(3) { $0.name = text }
      case 6...8:
        let which = Int.random(in: 0..<4, using: &generator)
        var context = context
        context.photoIsValid = Int.random(in: 0..<4, using: &generator) > 0
        draft.handle(.continued(FlowStep.allCases[which], context))
        model.continued(which, photo: context.photoIsValid)
      case 9:
        draft.handle(.back)
        if (1...3).contains(model.step) { model.step -= 1 }
      case 10:
        let password = ["p", "q"].randomElement(using: &generator)!
        draft.handle(.submitting(managementPassword: password))
        if model.isReady, !model.tried { (model.tried, model.password) = (true, password) }
      case 11:
        let isOurs = Bool.random(using: &generator)
        draft.handle(.announced(id: "a", key: isOurs ? draft.submissionKey : UUID()))
        if isOurs, model.isReady, model.tried, !model.complete { model.announced = true }
      case 12:
        draft.handle(.photoSent(id: "a"))
        if model.announced, !model.complete { (model.complete, model.step) = (true, 4) }
      case 13:
        draft.handle(.passwordShown)
        if model.complete { model.password = nil }
      case 14:
        guard Int.random(in: 0..<10, using: &generator) == 0 else { continue }
        draft.handle(.notAnnounced(key: draft.submissionKey, newKey: UUID()))
        if model.tried, !model.complete {
          (model.tried, model.announced, model.password) = (false, false, nil)
        }
      default:
        // Clearing is rare, so that walks reach the end.
        guard Int.random(in: 0..<20, using: &generator) == 0 else { continue }
        draft.handle(.cleared(newKey: UUID()))
        model = ReferenceFlow()
      }
      if count % 1000 == 0 {
        // A restart: the draft passes through its stored form.
        draft = try JSONDecoder().decode(ReportDraft.self, from: JSONEncoder().encode(draft))
      }
      visits[model.step, default: 0] += 1
      try #require(
        differences(draft, model).isEmpty,
        "seed \(seed), step \(count): \(differences(draft, model))")
    }
    #expect(visits.keys.sorted() == [0, 1, 2, 3, 4], "seed \(seed) never saw a step: \(visits)")
  }

  private func differences(_ draft: ReportDraft, _ model: ReferenceFlow) -> [String] {
    let pairs: [(String, Bool)] = [
      ("step", draft.step.index == model.step),
      ("done", Set(draft.completedSteps.map(\.index)) == model.done),
      ("chip", draft.chipInput.replacing("-", with: "") == model.chip),
      ("race", draft.descriptionInput[.race] == model.race),
      ("species", draft.descriptionInput.species?.id == model.species),
      ("gender", draft.descriptionInput.gender == model.gender),
      ("name", draft.contactInput[.name] == model.name),
      ("phone", draft.contactInput[.phone] == model.phone),
      ("chip counted", (draft.chipNumber ?? "") == (model.committed[0] ?? "")),
      ("race counted", draft.animalDescription?.race == model.committed[2]),
      ("phone counted", draft.contactDetails?.phone == model.committed[3]),
      ("tried", (draft.submission != nil) == model.tried),
      ("announced", draft.isAnnounced == model.announced),
      ("complete", (draft.submission?.isComplete ?? false) == model.complete),
      ("password", draft.submission?.managementPassword == model.password),
    ]
    return pairs.filter { !$0.1 }.map(\.0)
  }
}
