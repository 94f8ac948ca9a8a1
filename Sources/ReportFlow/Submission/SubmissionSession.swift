package import PhotoAttachments

/// What a submission needs of a session, whichever surface holds it.
package protocol SubmissionSession: Sendable {
  /// The draft as it was last read or written.
  var draft: ReportDraft { get async }
  /// Takes up what others have written since. Throws when that cannot be read, and when a change
  /// of this session could not be written.
  func refresh() async throws
  /// Lets an event happen to the draft and writes it through to the disk. Throws when it cannot.
  @discardableResult
  func record(_ event: FlowEvent) async throws -> FlowOutcome
  /// The draft's photo, once its blob was looked at (decision 7); nil without a valid one.
  func validPhoto() async throws -> PhotoAttachmentMetadata?
  /// Lets go of the photo, which is the announcement's now (seed 028). A failure is only logged.
  func releasePhoto() async
  /// Ends the session: the photo goes first, then everything typed.
  func clear() async throws
}

extension ReportMissingPetFlowState: SubmissionSession {
  package func refresh() throws {
    try reload()
    if let saveFailure { throw saveFailure }
  }

  @discardableResult
  package func record(_ event: FlowEvent) throws -> FlowOutcome {
    let outcome = handle(event)
    if let saveFailure { throw saveFailure }
    return outcome
  }

  package func validPhoto() async throws -> PhotoAttachmentMetadata? {
    try await refreshPhoto()
    return photoAttachment
  }
}
