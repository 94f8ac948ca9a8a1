import PhotoAttachments

/// The operations that a submission needs from a session, on any surface: an app, the terminal or a server.
package protocol SubmissionSession: Sendable {
  /// The draft as last read or written.
  var draft: ReportDraft { get async }
  /// Loads changes that others have written. Throws if they can't be read, or if a change of this session couldn't be
  /// written.
  func refresh() async throws
  /// Applies an event to the draft and stores it durably. Throws if that fails.
  @discardableResult
  func record(_ event: FlowEvent) async throws -> FlowOutcome
  /// Returns the draft's photo after checking its blob (decision 7), or `nil` if there is no valid photo.
  func validPhoto() async throws -> PhotoAttachmentMetadata?
  /// Releases the photo, which now belongs to the announcement (seed 028). A failure is only logged.
  func releasePhoto() async
  /// Ends the session. Removes the photo first and then all inputs.
  func clear() async throws
}
