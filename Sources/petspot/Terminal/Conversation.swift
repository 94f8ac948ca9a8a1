import Announcements
import Foundation
import PhotoIngestion
import ReportFlow
import Synchronization

/// The report as a conversation. It asks one question per field and starts at the step where the draft was left. Each
/// answer is checked by the rules of Continue, the web form's button that completes a step, and saved before the next
/// question.
struct Conversation {
  let session: ReportSession
  let decoding: PhotoDecoding
  /// The position that was given on the command line.
  let position: Coordinate?
  let prompt: Prompt

  var flow: DraftSession { session.flow }
  var words: Words { session.words }

  /// Goes through the steps until the report is published or the person leaves.
  func runSteps() async throws {
    guard let editor = prompt.editor else { return try await converse() }
    try await editor.serving { try await converse() }
  }

  private func converse() async throws {
    try prompt.say(words("talk.help"))
    let kept = words("talk.interrupted", ["command": session.command])
    Interruption.reactions.withLock { $0.message = kept }
    var comesBack = false
    do {
      while try await takeStep(fromBehind: &comesBack) {}
    } catch ConversationExit.quit {
      // A published report can't be resumed.
      guard await !flow.draft.isSubmitted else { return }
      try prompt.say(words("talk.kept", ["command": session.command]))
    }
  }

  /// Runs one step. Returns `false` when the flow is over.
  ///
  /// - Parameter comesBack: `true` if the step is entered backwards, at its last question. Set if the person goes back.
  private func takeStep(fromBehind comesBack: inout Bool) async throws -> Bool {
    let fromBehind = comesBack
    comesBack = false
    do {
      let step = await flow.draft.step
      let progress = step.progressText(in: words).map { $0 + "  " }
      try prompt.title((progress ?? "") + words(step.title))
      switch step {
      case .chip: try await askChip()
      case .photo: try await askPhoto()
      case .description: try await askDescription(fromBehind: fromBehind)
      case .contact: try await askContact()
      case .summary: return try await showSummary()
      }
    } catch ConversationExit.back {
      // Going back from the first step leaves the flow. The typed values are kept.
      if try await flow.record(.back) == .left { throw ConversationExit.quit }
      comesBack = true
    }
    return true
  }

  /// Runs step 1: asks for the microchip number.
  private func askChip() async throws {
    try prompt.say(words("chip.explanation"))
    try await fill(.chip)
    _ = try await session.finish(.chip)
  }

  /// Asks the questions of a step one after the other. The word back returns to the previous question.
  ///
  /// - Parameters:
  ///   - first: the index of the first question.
  ///   - ask: asks one question. Returns `false` if the question doesn't apply.
  func askFields(
    _ fields: [FormField], from first: Int = 0, _ ask: (FormField) async throws -> Bool
  ) async throws {
    var index = first
    var isBack = false
    while fields.indices.contains(index) {
      do {
        let wasAsked = try await ask(fields[index])
        isBack = isBack && !wasAsked
      } catch ConversationExit.back {
        isBack = true
      }
      index += isBack ? -1 : 1
    }
    if index < 0 { throw ConversationExit.back }
  }

  /// Applies an edit to the draft and saves it before returning.
  @discardableResult
  func edit(_ edit: FlowEdit) async throws -> FlowOutcome { try await flow.record(.edited(edit)) }

  /// Returns the error that Continue would report for the field now.
  func error(of field: FormField) async -> ReportFlow.ValidationError? {
    await flow.draft.error(of: field, session.environment.context())
  }

  /// Asks for a text until Continue would accept it, and prints which parts were not kept. A rejected text is not
  /// offered as the default again, because Enter would only repeat the error.
  func fill(
    _ field: FormField, help: String? = nil, isLong: Bool = false,
    complete: @escaping (String) -> [String] = { _ in [] }
  ) async throws {
    func set(_ text: String) async throws { try await edit(.typed(field, text)) }
    var question = Question(
      label: words(field.label), current: await flow.draft.text(of: field), help: help,
      isLong: isLong, complete: complete)
    while true {
      let answer = try prompt.askText(question)
      switch answer {
      case .kept: break
      case .emptied: try await set("")
      case .text(let text):
        try await set(text)
        for adjustment in InputAdjustment.of(field, text) {
          try prompt.complain(adjustment.message(in: words))
        }
      }
      guard let error = await error(of: field) else { return }
      try prompt.complain(error.message(in: words))
      if answer == .kept { question.current = "" }
      try await set(question.current)
    }
  }

  /// Shows the code once. If it was shown before, offers to start a new report.
  private func showSummary() async throws -> Bool {
    let submission = await flow.draft.submission
    let id = submission?.announcementID ?? ""
    guard let code = submission?.managementPassword else {
      try prompt.say("\(words("status.announcement")): \(id)")
      guard try prompt.askYesOrNo(words("talk.startOver")) else { return false }
      try await session.submission.discard(session: flow)
      return true
    }
    try prompt.say(words("summary.heading"))
    try prompt.say(session.audience)
    try prompt.say("\n\(words("status.password")): \(code)")
    try prompt.say(words("summary.paragraph2"))
    try prompt.say("\n\(words("status.announcement")): \(id)")
    // After publication, an interruption needs no hint about resuming.
    Interruption.reactions.withLock { $0.message = nil }
    prompt.forgetTypedAhead()
    _ = try prompt.ask(Question(label: words("talk.passwordNoted")))
    try await flow.record(.passwordShown)
    return false
  }

  /// Runs step 4: asks for every field, then shows the whole report and asks whether to publish it. If all steps were
  /// completed before, starts with the whole report.
  func askContact() async throws {
    let fields = FlowStep.contact.fields
    var first = 0
    var isAnswered = await flow.draft.completedSteps.count == FlowStep.count
    while true {
      if !isAnswered {
        try prompt.say(words("contact.subtitle"))
        try await askFields(fields, from: first) { field in
          try await fill(field)
          return true
        }
        _ = try await session.finish(.contact)
      }
      isAnswered = false
      do {
        return try await publish()
      } catch ConversationExit.back {
        first = fields.count - 1
      }
    }
  }

  /// Shows the whole report and publishes it after a yes. Repeats this until the report is published or the person
  /// leaves. The number of a field asks for that field again.
  private func publish() async throws {
    while await flow.draft.step != .summary {
      try prompt.title(words("talk.overview"))
      let fields = try await showAnswers()
      try prompt.say(words("talk.mend"))
      try prompt.say(session.audienceBefore)
      prompt.forgetTypedAhead()
      guard case .text(let answer) = try prompt.ask(prompt.yesOrNo(words("talk.publish"))) else {
        throw ConversationExit.quit
      }
      if let number = Int(answer), fields.indices.contains(number - 1) {
        try await mend(fields[number - 1])
        continue
      }
      guard prompt.isWord(answer, "talk.yes") else { throw ConversationExit.quit }
      do {
        _ = try await session.submission.submit(session: flow)
      } catch {
        let alert = SubmissionAlert(error)
        let steps = alert.missingSteps.map { words($0.title) }.joined(separator: ", ")
        try prompt.complain(words(alert.message, ["steps": steps]))
      }
    }
  }

  /// Prints every field with its number, and returns the fields in that order.
  private func showAnswers() async throws -> [FormField] {
    let draft = await flow.draft
    var fields: [FormField] = []
    for step in FlowStep.allCases where step != .summary {
      for field in step == .photo ? [.photo] : step.fields {
        var text = draft.shownText(of: field, in: words)
        if step == .photo { text = try await flow.validPhoto()?.fileName ?? "" }
        fields.append(field)
        let number = fields.count < 10 ? " \(fields.count)" : "\(fields.count)"
        let label = words(step == .photo ? step.title : field.name)
        try prompt.say("\(number)  \(label): \(text.isEmpty ? "–" : ReadableText.escaped(text))")
      }
    }
    return fields
  }

  /// Asks for one field again, and then for other fields that have become invalid.
  private func mend(_ field: FormField) async throws {
    do {
      try await askAgain(field)
    } catch ConversationExit.back {}
    for step in FlowStep.allCases where step != .summary {
      while case .refused(let errors) = try await session.finish(step), let error = errors.first {
        try prompt.complain(error.message(in: words))
        try await askAgain(error.field)
      }
    }
  }

  /// Asks for a field with the question of its step.
  private func askAgain(_ field: FormField) async throws {
    switch field {
    case .photo: try await askPhoto()
    case .near, .latitude, .longitude:
      try await askPlace()
      _ = try await askLongitude()
    default:
      if FlowStep.description.fields.contains(field) {
        _ = try await askField(field)
      } else {
        try await fill(field)
      }
    }
  }
}
