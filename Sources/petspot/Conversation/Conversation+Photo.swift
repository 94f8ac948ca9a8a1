import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension Conversation {
  /// Step 2: a photo by path or library id. One that was attached just now is shown, and the step is
  /// done; one of before is shown and asked for, because Enter keeps it.
  func askPhoto() async throws {
    let model = coordinator.makePhoto()
    try await flow.refreshPhoto()
    try prompt.say(words("photo.helper") + " " + words("photo.tileTypes"))
    var shown: UUID?
    while true {
      if let photo = flow.photoAttachment, photo.id != shown {
        try await show(photo, model)
        shown = photo.id
      }
      let question = Question(
        label: words("talk.photo"), current: flow.photoAttachment?.fileName ?? "",
        help: words("talk.photoHelp"), complete: TypedPath.completions)
      switch try prompt.ask(question) {
      case .kept:
        if case .moved = await model.continueTapped() { return }
        try prompt.complain(Toast.photoIsMandatory.message(in: words))
      case .emptied:
        let hadPhoto = flow.photoAttachment != nil
        await model.removeTapped()
        if hadPhoto, flow.photoAttachment == nil { try prompt.say(words("talk.photoRemoved")) }
        try prompt.complain(
          model.failure?.message(in: words) ?? Toast.photoIsMandatory.message(in: words))
      case .text(let answer):
        let before = flow.photoAttachment?.id
        try await take(answer, model)
        guard let photo = flow.photoAttachment, photo.id != before else { continue }
        try await show(photo, model)
        shown = photo.id
        if case .moved = await model.continueTapped() { return }
      }
    }
  }

  private func take(_ answer: String, _ model: PhotoViewModel) async throws {
    let path = TypedPath.path(answer)
    // A whole id is one whatever files there are; its beginning only where no file is called so.
    if let reference = PhotoReference(answer),
      UUID(uuidString: answer) != nil || path.map({ access($0.string, F_OK) != 0 }) ?? true
    {
      try await attach(reference)
      await model.restore()
    } else if let path {
      try prompt.say(words("photo.loadingHelper"))
      await model.select(.file(path))
      try prompt.complain(model.failure?.message(in: words))
    }
  }

  private func attach(_ reference: PhotoReference) async throws {
    do {
      let asset = try reference.id(in: flow.photos)
      _ = try await flow.photos.attach(asset: asset, draft: flow.draft.id)
    } catch {
      guard let failure = ReportFailure(error, in: words) else { throw error }
      try prompt.complain(failure.message)
    }
  }

  private func show(_ photo: PhotoAttachmentMetadata, _ model: PhotoViewModel) async throws {
    // A preview that cannot be drawn is no reason to stop: the facts below it say enough.
    let preview = photo.preview
    let drawing = try? await PreviewDrawing.text(
      (preview.format, preview.pixelWidth, preview.pixelHeight), on: prompt.terminal,
      decoders: decoders
    ) { () async throws(StoreError) in try await flow.photos.bytes(of: preview) }
    try Output.write(drawing ?? "")
    guard let card = model.confirmationCard else { return }
    try prompt.say(
      "  \(DisplayText.name(card.fileName)) · \(card.sizeText) · \(card.dimensionsText)")
  }
}
