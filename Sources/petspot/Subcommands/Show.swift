import PetSpotStores
import ArgumentParser
import Foundation
import ImageContainers
import PhotoAttachments
import SystemPackage
import PhotoIngestion

struct Show: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: L10n.words(.showAbstract),
    discussion: HelpText.text(
      .showHelp,
      examples: """
        petspot show rex.heic
        petspot show 6F9619FF-8B86-4011-B42D-00C04FC964FF
        """))

  @Argument(
    help: ArgumentHelp(
      L10n.words(.showPhoto),
      valueName: "id|file"),
    completion: PhotoReference.completion(others: { TypedPath.completions($0) }))
  var photo: String

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let path = try RawArguments.requiredPath(photo)
    // A whole id is one whatever files there are; its beginning only where no file is called so.
    if let reference = PhotoReference(photo),
      UUID(uuidString: photo) != nil || access(path.string, F_OK) != 0
    {
      let cache = try reference.photos(options)
      let id = try reference.id(in: cache)
      try about(FilePath(id.uuidString)) { () throws(StoreError) in try show(id, of: cache) }
    } else {
      try about(path) { () throws(StoreError) in try show(path) }
    }
  }

  private func show(_ id: UUID, of cache: PhotoAttachmentCache) throws(StoreError) {
    guard let photo = try cache.photo(id: id) else { throw .missingPhoto }
    let terminal = Terminal.standardOutput()
    let drawing = try draw(
      (photo.preview.format, photo.preview.pixelWidth, photo.preview.pixelHeight), on: terminal
    ) { () throws(StoreError) in
      try cache.bytes(of: photo.preview)
    }
    try options.print(
      photo.json,
      orText: drawing + photo.card(verbose: options.verbose, on: terminal, in: options.words))
  }

  private func show(_ path: FilePath) throws(StoreError) {
    let pipeline = PhotoPipeline(decoders: options.startDecoders())
    let inspection = try StoreError.ofPhoto { () throws(PhotoError) in
      try pipeline.inspect(.file(path))
    }
    let terminal = Terminal.standardOutput()
    var drawing = ""
    if isDrawn(on: terminal) {
      let preview = try StoreError.ofPhoto { () throws(PhotoError) in
        try pipeline.prepare(.file(path)).preview
      }
      drawing = try draw(
        (preview.format, preview.pixelWidth, preview.pixelHeight), on: terminal
      ) { () throws(StoreError) in preview.bytes }
    }
    try options.print(
      inspection.json(path: path),
      orText: drawing + inspection.report(path: path, verbose: options.verbose, on: terminal))
  }

  private func isDrawn(on terminal: Terminal) -> Bool {
    terminal.colors != .none && !options.json && !options.quiet
  }

  /// The drawing with a line break at its end, empty where nothing can be drawn.
  private func draw(
    _ picture: (format: ImageFormat, width: Int, height: Int), on terminal: Terminal,
    bytes: () throws(StoreError) -> [UInt8]
  ) throws(StoreError) -> String {
    guard isDrawn(on: terminal) else { return "" }
    return try PreviewDrawing.text(
      picture, on: terminal, decoders: options.startDecoders(), bytes: bytes)
  }
}
