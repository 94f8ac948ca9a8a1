import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension Conversation {
  /// Runs step 2: asks for a photo by path or library id.
  ///
  /// A photo that was just attached is shown and completes the step. An earlier photo is shown before the question, and
  /// Enter keeps it.
  func askPhoto() async throws {
    try prompt.say(words("photo.helper") + " " + words("photo.tileTypes"))
    var shown: UUID?
    while true {
      let before = try await flow.validPhoto()
      if let before, before.id != shown {
        try await printPhoto(before)
        shown = before.id
      }
      let question = Question(
        label: words("talk.photo"), current: before?.fileName ?? "",
        help: words("talk.photoHelp"), complete: TypedPath.completions)
      switch try prompt.ask(question) {
      case .kept:
        if case .moved = try await session.finish(.photo) { return }
        try prompt.complain(Toast.photoIsMandatory.message(in: words))
      case .emptied:
        try await printingErrors {
          try await flow.photos.remove(draft: await flow.draft.id)
          try await flow.keepPlace(of: nil)
          if before != nil { try prompt.say(words("talk.photoRemoved")) }
          try prompt.complain(Toast.photoIsMandatory.message(in: words))
        }
      case .text(let answer):
        try await printingErrors { try await attachPhoto(answer) }
        guard let photo = try await flow.validPhoto(), photo.id != before?.id else { continue }
        try await printPhoto(photo)
        shown = photo.id
        if case .moved = try await session.finish(.photo) { return }
      }
    }
  }

  /// Attaches the photo that an answer names.
  private func attachPhoto(_ answer: String) async throws {
    let path = TypedPath.path(answer)
    // A whole id has priority over a file of that name, but a file has priority over a prefix of an id.
    if let reference = PhotoReference(answer),
      UUID(uuidString: answer) != nil || path.map({ access($0.string, F_OK) != 0 }) ?? true
    {
      let asset = try reference.id(in: flow.photos)
      _ = try await flow.photos.attach(asset: asset, draft: await flow.draft.id, of: .report)
    } else if let path {
      if access(path.string, R_OK) == 0 { try prompt.say(words("photo.loadingHelper")) }
      try await session.attach(.file(path), decoding)
    }
  }

  /// Runs `work` and prints the reason if it fails, so that the conversation can continue.
  private func printingErrors(_ work: () async throws -> Void) async throws {
    do {
      try await work()
    } catch {
      guard let failure = Failure(reporting: error) else { throw error }
      try prompt.complain(failure.message)
    }
  }

  /// Prints a photo's drawing and facts.
  private func printPhoto(_ photo: PhotoAttachmentMetadata) async throws {
    // If the preview can't be drawn, the facts below it are enough.
    let preview = photo.preview
    let drawing = try? await PreviewDrawing.text(
      (preview.format, preview.pixelWidth, preview.pixelHeight), on: prompt.terminal,
      decoding: decoding
    ) { () async throws(StoreError) in try await flow.photos.bytes(of: preview) }
    try Output.write(drawing ?? "")
    let card = PhotoConfirmationCard(photo, in: words)
    try prompt.say(
      "  \(DisplayText.name(card.fileName)) · \(card.sizeText) · \(card.dimensionsText)")
  }
}
