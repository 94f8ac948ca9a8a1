import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage
import PhotoIngestion

struct Attach: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.attach.abstract", "help.attach.discussion",
    examples: """
      petspot attach rex.heic
      petspot attach rex.heic --draft 17 --json
      petspot attach --asset 6F9619FF-8B86-4011-B42D-00C04FC964FF
      curl -s https://example.org/rex.jpg | petspot attach - --name rex.jpg
      """)

  @Argument(
    help: .words("help.attach.file", "file"), completion: .file(),
    transform: RawArguments.requiredPath)
  var file: FilePath?

  @Option(
    help: .words("help.attach.asset", "id"), completion: PhotoReference.completion(),
    transform: PhotoReference.required)
  var asset: PhotoReference?

  @Option(help: .words("help.attach.name", "name"), transform: RawArguments.text)
  var name: String?

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if (file == nil) == (asset == nil) {
      throw ValidationError(text: "usage.attachNothing")
    }
  }

  func run() async throws {
    if let asset { return try await attach(asset) }
    guard let file else { return }
    let decoders = options.startDecoders()
    let stores = try options.openStores(decoders: decoders)
    try await checkEditable(in: stores.drafts)
    let photos = stores.photos
    let source = try about(file) { () throws(StoreError) in
      try self.source(file, limit: photos.policy.fileBytes)
    }
    let draft = draft.id
    do throws(StoreError) {
      let attached = try await Interruption.withCancellation { () async throws(StoreError) in
        try await photos.attach(source, draft: draft, of: .report)
      }
      await stores.keepPlace(of: attached, draft: draft)
      try show(attached.photo)
    } catch {
      throw Failure(error, about: file)
    }
  }

  private func attach(_ asset: PhotoReference) async throws {
    let stores = try options.openStores()
    try await checkEditable(in: stores.drafts)
    let asset = try asset.id(in: stores.photos)
    do throws(StoreError) {
      let photo = try await stores.photos.attach(asset: asset, draft: draft.id, of: .report)
      await stores.keepPlace(of: nil, draft: draft.id)
      try show(photo)
    } catch {
      throw Failure(error, about: FilePath(asset.uuidString))
    }
  }

  private func show(_ photo: PhotoAttachmentMetadata) throws(StoreError) {
    try options.print(
      PhotoAttachmentStatus.confirmed(metadata: photo).json,
      orText: photo.card(verbose: options.verbose, on: .standardOutput(), in: options.words))
  }

  /// A submitted report's photo is the announcement's; another one would belong to nothing.
  private func checkEditable(in drafts: DraftStore) async throws {
    guard try await drafts.isSubmitted(draft.id) else { return }
    throw ReportFailure(
      code: "submitted", message: options.words("flow.submitted"), exitCode: 65)
  }

  private func source(_ file: FilePath, limit: Int) throws(StoreError) -> PhotoSource {
    guard file == "-" else { return .file(file, name: name) }
    return try StoreError.catching {
      try .standardInput(name: name, limit: limit)
    }
  }
}
