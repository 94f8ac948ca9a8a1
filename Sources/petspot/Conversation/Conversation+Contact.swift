import Announcements
import ReportFlow

extension Conversation {
  /// Step 4: every field, then the whole report and the question whether to publish it.
  func askContact() async throws {
    let model = coordinator.makeContactDetails()
    try prompt.say(words(.contactSubtitle))
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
      try prompt.title(words(.talkOverview))
      try prompt.say(ReportDraft.text(of: flow.draft.contents(with: flow.photoStatus, in: words)))
      try prompt.say(session.audienceBefore)
      prompt.forgetTypedAhead()
      guard try prompt.askYesOrNo(words(.talkPublish), isForgiving: true) else {
        throw ConversationExit.quit
      }
      await model.continueTapped()
      guard let alert = model.alert else { continue }
      let steps = alert.missingSteps.map { words($0.title) }.joined(separator: ", ")
      try prompt.complain(words(alert.message, ["steps": steps]))
    }
  }
}
