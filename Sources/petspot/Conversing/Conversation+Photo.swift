import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow

extension Conversation {
  /// Step 2: a photo by path or library id, shown once it is attached, until it is kept.
  func askPhoto() async throws {
    let model = PhotoViewModel(
      flowState: flow, environment: session.environment, intake: session.intake(decoders),
      words: words)
    try await flow.refreshPhoto()
    try prompt.say(words(.photoHelper) + " " + words(.photoTileTypes))
    var shown: UUID?
    while true {
      if let photo = flow.photoAttachment, photo.id != shown {
        try show(photo, model)
        shown = photo.id
      }
      let question = Question(
        label: words(.talkPhoto), current: flow.photoAttachment?.fileName ?? "",
        help: words(.talkPhotoHelp), complete: TypedPath.completions)
      switch try prompt.ask(question) {
      case .kept:
        if case .moved = await model.continueTapped() { return }
        try prompt.complain(Toast.photoIsMandatory.message(in: words))
      case .emptied:
        let hadPhoto = flow.photoAttachment != nil
        await model.removeTapped()
        if hadPhoto, flow.photoAttachment == nil { try prompt.say(words(.talkPhotoRemoved)) }
        try prompt.complain(
          model.failure?.message(in: words) ?? Toast.photoIsMandatory.message(in: words))
      case .text(let answer): try await take(answer, model)
      }
    }
  }

  private func take(_ answer: String, _ model: PhotoViewModel) async throws {
    if let id = UUID(uuidString: answer) {
      try await attach(id)
      await model.restore()
    } else if let path = TypedPath.path(answer) {
      try prompt.say(words(.photoLoadingHelper))
      await model.select(.file(path))
      try prompt.complain(model.failure?.message(in: words))
    }
  }

  private func attach(_ asset: UUID) async throws {
    do throws(StoreError) {
      _ = try await flow.photos.attach(asset: asset, draft: flow.draft.id)
    } catch {
      try prompt.complain(error.message(in: words))
    }
  }

  private func show(_ photo: PhotoAttachmentMetadata, _ model: PhotoViewModel) throws {
    // A preview that cannot be drawn is no reason to stop: the facts below it say enough.
    let preview = photo.preview
    let drawing = try? PreviewDrawing.text(
      (preview.format, preview.pixelWidth, preview.pixelHeight), on: prompt.terminal,
      decoders: decoders
    ) { () throws(StoreError) in try flow.photos.bytes(of: preview) }
    try Output.write(drawing ?? "")
    guard let card = model.confirmationCard else { return }
    try prompt.say(
      "  \(DisplayText.name(card.fileName)) · \(card.sizeText) · \(card.dimensionsText)")
  }
}
