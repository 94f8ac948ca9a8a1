import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage
import PhotoIngestion

/// `petspot report photo`: fills in step 2, the photo.
struct ReportPhoto: ReportCommand {
  static let configuration = CommandConfiguration(
    named: "photo", "help.report.photo.abstract", "help.report.photo.discussion",
    examples: """
      petspot report photo rex.heic
      petspot report photo --asset 6F9619FF-8B86-4011-B42D-00C04FC964FF
      """)

  @Argument(
    help: .words("help.attach.file", "file"), completion: .file(),
    transform: RawArguments.requiredPath)
  var file: FilePath?

  @Option(
    help: .words("help.attach.asset", "id"), completion: PhotoReference.completion(),
    transform: PhotoReference.required)
  var asset: PhotoReference?

  @OptionGroup var report: ReportOptions

  func validate() throws {
    try ValidationError.rejectBoth(
      L10n.words("help.report.photo.file"), file != nil, "--asset", asset != nil)
  }

  func perform(in session: ReportSession) async throws {
    let draft = await session.flow.draft
    let photos = session.flow.photos
    if draft.isSubmitted { try await session.checkEditable() }
    if let file {
      let source: PhotoSource =
        try file == "-" ? .standardInput(limit: photos.policy.fileBytes) : .file(file)
      do {
        try await session.attach(source, options.startDecoders())
      } catch let error as StoreError {
        throw refusal(error, about: file)
      }
    } else if let asset {
      let asset = try asset.id(in: photos)
      do {
        _ = try await photos.attach(asset: asset, draft: draft.id, of: .report)
      } catch {
        throw refusal(error, about: FilePath(asset.uuidString))
      }
    }
    try await session.report(.photo, session.finish(.photo), toast: .photoIsMandatory)
  }

  /// Returns the error in the form of `attach`, with the result of the step added. The last valid photo is kept.
  private func refusal(_ error: StoreError, about path: FilePath) -> any Error {
    guard var failure = Failure(reporting: error, about: path) else { return error }
    let field: JSON = ["field": "photo", "code": error.code, "message": error.message(in: words)]
    failure.context = ["step": "photo", "canContinue": false, "errors": [field]]
    return failure
  }
}
