import Announcements
import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The report as a conversation: one question a field, from the step where the draft was left. Each
/// answer is checked by the rules of Continue, and on disk, before the next question.
@MainActor struct Conversation {
  let session: ReportSession
  let decoders: DecoderPool?
  /// Whether the person gave a position on the command line.
  let hasPosition: Bool
  let prompt: Prompt

  var flow: ReportMissingPetFlowState { session.flow }
  var words: Words { session.words }
  var coordinator: ReportMissingPetCoordinator { session.coordinator(decoders) }

  /// Goes through the steps until the report is published or the person leaves.
  func run() async throws {
    guard let editor = prompt.editor else { return try await converse() }
    try await editor.serving { try await converse() }
  }

  private func converse() async throws {
    try prompt.say(words("talk.help"))
    Interruption.interruptedMessage = words("talk.interrupted", ["command": session.command])
    var comesBack = false
    do {
      while try await takeStep(fromBehind: &comesBack) {}
    } catch ConversationExit.quit {
      try session.checkSaved()
      // Of a published report there is nothing to go on with.
      guard !flow.draft.isSubmitted else { return }
      try prompt.say(words("talk.kept", ["command": session.command]))
    }
  }

  /// One step; false when the flow is over.
  ///
  /// - Parameter comesBack: whether the step is entered backwards, at its last question.
  private func takeStep(fromBehind comesBack: inout Bool) async throws -> Bool {
    let fromBehind = comesBack
    comesBack = false
    do {
      try sayTitle()
      switch flow.draft.step {
      case .chip: try askChip()
      case .photo: try await askPhoto()
      case .description: try await askDescription(fromBehind: fromBehind)
      case .contact: try await askContact()
      case .summary: return try await showSummary()
      }
    } catch ConversationExit.back {
      // Left from the first step, the flow is over; what was typed is kept.
      if flow.handle(.back) == .left { throw ConversationExit.quit }
      comesBack = true
    }
    try session.checkSaved()
    return true
  }

  private func sayTitle() throws {
    try prompt.title((coordinator.progressText.map { $0 + "  " } ?? "") + coordinator.title)
  }

  private func askChip() throws {
    let model = coordinator.makeChipNumber()
    let field = model.textFieldModel
    try prompt.say(field.helperText ?? "")
    try fill(.chip, Question(label: field.label, current: field.text)) {
      model.chipNumber = $0
    }
    model.continueTapped()
  }

  /// Asks the questions of a step one after the other; back goes to the one before.
  ///
  /// - Parameters:
  ///   - first: the number of the question to begin with.
  ///   - ask: asks one, and says whether there was something to ask.
  func ask(
    _ fields: [FormField], from first: Int = 0, _ ask: (FormField) async throws -> Bool
  ) async throws {
    var (index, isBack) = (first, false)
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

  /// Asks for a text until Continue would take it; says what is not kept of it. A refused answer is not
  /// offered again: Enter would only be refused again.
  ///
  /// - Parameters:
  ///   - error: what Continue would say of the field now.
  ///   - set: puts a text into the field.
  func fill(
    _ field: FormField, _ question: Question,
    error: () -> ReportFlow.ValidationError? = { nil }, _ set: (String) -> Void
  ) throws {
    var question = question
    while true {
      let answer = try prompt.askText(question)
      switch answer {
      case .kept: break
      case .emptied: set("")
      case .text(let text):
        set(text)
        for adjustment in InputAdjustment.of(field, text) {
          try prompt.complain(adjustment.message(in: words))
        }
      }
      try session.checkSaved()
      guard let error = error() else { return }
      try prompt.complain(error.message(in: words))
      if answer == .kept { question.current = "" }
      set(question.current)
    }
  }

  /// Shows the code once, or offers to begin again when it was shown before.
  private func showSummary() async throws -> Bool {
    let model = coordinator.makeSummary()
    let id = flow.draft.submission?.announcementID ?? ""
    guard !model.managementPassword.isEmpty else {
      try prompt.say("\(words("status.announcement")): \(id)")
      guard try prompt.askYesOrNo(words("talk.startOver")) else { return false }
      try await session.submission.discard(flow)
      return true
    }
    try prompt.say(words("summary.heading"))
    try prompt.say(session.audience)
    try prompt.say("\n\(words("status.password")): \(model.managementPassword)")
    try prompt.say(words("summary.paragraph2"))
    try prompt.say("\n\(words("status.announcement")): \(id)")
    // Published, there are no answers left to go on with.
    Interruption.interruptedMessage = nil
    prompt.forgetTypedAhead()
    _ = try prompt.ask(Question(label: words("talk.passwordNoted")))
    model.closeTapped()
    try session.checkSaved()
    return false
  }
}

extension Conversation {
  /// Step 4: every field, then the whole report and the question whether to publish it.
  func askContact() async throws {
    let model = coordinator.makeContactDetails()
    try prompt.say(words("contact.subtitle"))
    let fields = FlowStep.contact.fields
    var first = 0
    while true {
      try await ask(fields, from: first) { field in
        try ask(field, of: model)
        return true
      }
      model.validate()
      do {
        return try await publish(model)
      } catch ConversationExit.back {
        first = fields.count - 1
      }
    }
  }

  private func ask(_ field: FormField, of model: ContactDetailsViewModel) throws {
    let drawn = model.fieldModel(field)
    try fill(
      field, Question(label: drawn.label, current: drawn.text), error: { model.error(of: field) }
    ) { model[field] = $0 }
  }

  /// Shows the whole report and publishes it after a yes, again and again until it is published or
  /// left.
  private func publish(_ model: ContactDetailsViewModel) async throws {
    while flow.draft.step != .summary {
      try prompt.title(words("talk.overview"))
      try prompt.say(ReportDraft.text(of: flow.draft.contents(with: flow.photoStatus, in: words)))
      try prompt.say(session.audienceBefore)
      prompt.forgetTypedAhead()
      guard try prompt.askYesOrNo(words("talk.publish"), isForgiving: true) else {
        throw ConversationExit.quit
      }
      await model.continueTapped()
      guard let alert = model.alert else { continue }
      let steps = alert.missingSteps.map { words($0.title) }.joined(separator: ", ")
      try prompt.complain(words(alert.message, ["steps": steps]))
    }
  }
}
