import Announcements
import Foundation
import PhotoAttachments
import ReportFlow
import PhotoIngestion

/// The report as a conversation: one question a field, from the step where the draft was left.
/// Every answer is on disk before the next question.
@MainActor struct Conversation {
  let session: ReportSession
  let decoders: DecoderPool?
  /// Whether the person gave a position on the command line.
  let hasPosition: Bool
  let prompt: Prompt

  var flow: ReportMissingPetFlowState { session.flow }
  var words: ReportFlow.Words { session.words }

  /// Goes through the steps until the report is published or the person leaves.
  func run() async throws {
    try prompt.say(words(.talkHelp))
    do {
      while try await takeStep() {}
    } catch Leaving.quit {
      try session.checkSaved()
      try prompt.say(words(.talkKept))
    }
  }

  /// One step; false when the flow is over.
  private func takeStep() async throws -> Bool {
    do {
      try sayTitle()
      switch flow.draft.step {
      case .chip: try askChip()
      case .photo: try await askPhoto()
      case .description: try await askDescription()
      case .contact: try await askContact()
      case .summary: return try await showSummary()
      }
    } catch Leaving.back {
      // Left from the first step, the flow is over; what was typed is kept.
      if flow.handle(.back) == .left { throw Leaving.quit }
    }
    try session.checkSaved()
    return true
  }

  private func sayTitle() throws {
    let title = words(flow.draft.step.title)
    let progress = flow.draft.step.number.map {
      words(.flowProgress, ["step": String($0), "count": String(FlowStep.count)]) + "  "
    }
    try prompt.say("\n" + prompt.terminal.bold((progress ?? "") + title))
  }

  private func askChip() throws {
    let model = ChipNumberViewModel(
      flowState: flow, environment: session.environment, words: words)
    try prompt.say(words(.chipExplanation))
    if let text = try prompt.askText(words(.chipLabel), current: model.chipNumber) {
      model.chipNumber = text
    }
    model.continueTapped()
  }

  private func askContact() async throws {
    let model = ContactDetailsViewModel(
      flowState: flow, environment: session.environment, submission: session.submission,
      words: words)
    try prompt.say(words(.contactSubtitle))
    var fields = [FormField.name, .phone, .email, .reward]
    repeat {
      for field in fields { try ask(field, of: model) }
      model.validate()
      fields = model.errors.map(\.field)
      if !fields.isEmpty { try prompt.say(Toast.correctFields.message(in: words)) }
    } while !fields.isEmpty
    while flow.draft.step != .summary {
      try prompt.say("\n" + prompt.terminal.bold(words(.talkOverview)))
      try prompt.say(session.text(of: session.contents))
      prompt.forgetTypedAhead()
      guard try prompt.askYesOrNo(words(.talkPublish)) else { throw Leaving.quit }
      await model.continueTapped()
      guard let alert = model.alert else { continue }
      let steps = alert.missingSteps.map { words($0.title) }.joined(separator: ", ")
      try prompt.complain(words(alert.message, ["steps": steps]))
    }
  }

  private func ask(_ field: FormField, of model: ContactDetailsViewModel) throws {
    let models = model.fieldModels
    let drawn: ValidatedTextField.Model
    switch field {
    case .name: drawn = models[0]
    case .phone: drawn = models[1]
    case .email: drawn = models[2]
    default: drawn = models[3]
    }
    try prompt.complain(drawn.errorMessage)
    guard let text = try prompt.askText(drawn.label, current: drawn.text) else { return }
    switch field {
    case .name: model.name = text
    case .phone: model.phone = text
    case .email: model.email = text
    default: model.reward = text
    }
    try session.checkSaved()
  }

  /// Shows the code once, or offers to begin anew when it was shown before.
  private func showSummary() async throws -> Bool {
    let model = SummaryViewModel(
      flowState: flow, environment: session.environment, words: words)
    let id = flow.draft.submission?.announcementID ?? ""
    guard !model.managementPassword.isEmpty else {
      try prompt.say("\(words(.statusAnnouncement)): \(id)")
      guard try prompt.askYesOrNo(words(.talkStartOver)) else { return false }
      try await session.submission.discard(flow)
      return true
    }
    try prompt.say(words(.summaryHeading))
    try prompt.say(words(.summaryParagraph1))
    try prompt.say("\n\(words(.statusPassword)): \(model.managementPassword)")
    try prompt.say(words(.summaryParagraph2))
    try prompt.say("\n\(words(.statusAnnouncement)): \(id)")
    _ = try prompt.ask(words(.talkPasswordNoted))
    model.closeTapped()
    try session.checkSaved()
    return false
  }
}
