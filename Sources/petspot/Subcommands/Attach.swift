import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage
import PhotoIngestion

struct Attach: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(en: "Attach a photo to a report.", pl: "Dodaj zdjęcie do zgłoszenia."),
    discussion: HelpText.text(
      en: """
        Makes the photo upright and sRGB, takes out every byte of metadata, and stores it. A photo \
        attached before stays until the new one is complete. The original is never touched.
        """,
      pl: """
        Obraca zdjęcie jak trzeba, zamienia na sRGB, usuwa wszystkie metadane i zapisuje. Zdjęcie dodane \
        wcześniej zostaje, dopóki nowe nie jest gotowe. Oryginał nigdy nie jest zmieniany.
        """,
      examples: """
        petspot attach rex.heic
        petspot attach rex.heic --draft 17 --json
        petspot attach --asset 6F9619FF-8B86-4011-B42D-00C04FC964FF
        curl -s https://example.org/rex.jpg | petspot attach - --name rex.jpg
        """))

  @Argument(
    help: ArgumentHelp(
      Speech.pick(
        en: "The photo, or - for standard input.", pl: "Zdjęcie albo - (standardowe wejście)."),
      valueName: "file"),
    completion: .file(), transform: RawArguments.requiredPath)
  var file: FilePath?

  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "A photo of the library, see petspot import.",
        pl: "Zdjęcie z biblioteki, zob. petspot import."), valueName: "id"),
    completion: PhotoReference.completion(), transform: PhotoReference.required)
  var asset: PhotoReference?

  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "The photo's name, for standard input; otherwise animal-photo.",
        pl: "Nazwa zdjęcia ze standardowego wejścia; bez niej animal-photo."), valueName: "name"),
    transform: RawArguments.text)
  var name: String?

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if (file == nil) == (asset == nil) {
      throw ValidationError(
        Speech.pick(
          en: "Name a photo, or one of the library with --asset ID.",
          pl: "Podaj zdjęcie albo zdjęcie z biblioteki: --asset ID."))
    }
  }

  func run() async throws {
    if let asset { return try await attach(asset) }
    guard let file else { return }
    let decoders = options.startDecoders()
    let stores = try options.openStores(decoders: decoders)
    try checkEditable(in: stores.drafts)
    let photos = stores.photos
    let source = try about(file) { () throws(StoreError) in
      try self.source(file, limit: photos.policy.fileBytes)
    }
    let draft = draft.id
    do throws(StoreError) {
      let attached = try await Interruption.cancelling { () async throws(StoreError) in
        try await photos.attach(source, draft: draft)
      }
      await stores.keepPlace(of: attached, draft: draft)
      let photo = attached.photo
      let status = PhotoAttachmentStatus.confirmed(metadata: photo)
      try options.print(
        status.json,
        orText: photo.card(verbose: options.verbose, on: .standardOutput(), in: options.words))
    } catch {
      throw Failure(error, about: file)
    }
  }

  private func attach(_ asset: PhotoReference) async throws {
    let stores = try options.openStores()
    try checkEditable(in: stores.drafts)
    let asset = try asset.id(in: stores.photos)
    do throws(StoreError) {
      let photo = try await stores.photos.attach(asset: asset, draft: draft.id)
      await stores.keepPlace(of: nil, draft: draft.id)
      let status = PhotoAttachmentStatus.confirmed(metadata: photo)
      try options.print(
        status.json,
        orText: photo.card(verbose: options.verbose, on: .standardOutput(), in: options.words))
    } catch {
      throw Failure(error, about: FilePath(asset.uuidString))
    }
  }

  /// A submitted report's photo is the announcement's; another one would belong to nothing.
  private func checkEditable(in drafts: DraftStore) throws {
    guard try drafts.isSubmitted(draft.id) else { return }
    throw ReportFailure(
      code: "submitted", message: options.words(.flowSubmitted), exitCode: 65)
  }

  private func source(_ file: FilePath, limit: Int) throws(StoreError) -> PhotoSource {
    guard file == "-" else { return .file(file, name: name) }
    return try StoreError.ofPhoto { () throws(PhotoError) in
      try .standardInput(name: name, limit: limit)
    }
  }
}
