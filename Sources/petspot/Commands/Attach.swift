import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage
import PhotoIngestion

/// `petspot attach`: attaches a file, standard input or a library photo to a draft.
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
    let decoding = options.startDecoders(for: file)
    let stores = try options.openStores(decoding: decoding)
    try await checkEditable(in: stores.drafts)
    let photos = stores.photos
    let source = try about(file) { () throws(StoreError) in
      try self.source(file, limit: photos.policy.fileBytes)
    }
    let draft = draft.id
    try await about(file) { () async throws(StoreError) in
      let attached = try await Interruption.withCancellation { () async throws(StoreError) in
        try await photos.attach(source, draft: draft, of: .report)
      }
      await stores.keepPlace(of: attached, draft: draft)
      try options.print(.confirmed(metadata: attached.photo))
    }
  }

  private func attach(_ asset: PhotoReference) async throws {
    let stores = try options.openStores()
    try await checkEditable(in: stores.drafts)
    let asset = try asset.id(in: stores.photos)
    try await about(FilePath(asset.uuidString)) { () async throws(StoreError) in
      let photo = try await stores.photos.attach(asset: asset, draft: draft.id, of: .report)
      await stores.keepPlace(of: nil, draft: draft.id)
      try options.print(.confirmed(metadata: photo))
    }
  }

  /// Throws if the report was submitted. Its photo belongs to the announcement, so a new one would belong to nothing.
  private func checkEditable(in drafts: DraftStore) async throws {
    if try await drafts.isSubmitted(draft.id) { throw Failure.submitted }
  }

  private func source(_ file: FilePath, limit: Int) throws(StoreError) -> PhotoSource {
    guard file == "-" else { return .file(file, name: name) }
    return try StoreError.catching { try .standardInput(name: name, limit: limit) }
  }
}
