import ArgumentParser
import Foundation
import ImageContainers
import PhotoAttachments
import SystemPackage
import PhotoIngestion
import ReportFlow

/// `petspot show`: draws a stored photo or a file, and prints its facts.
struct Show: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.show.abstract", "help.show.discussion",
    examples: """
      petspot show rex.heic
      petspot show 6F9619FF-8B86-4011-B42D-00C04FC964FF
      """)

  @Argument(
    help: .words("help.show.photo", "id|file"),
    completion: PhotoReference.completion(others: { TypedPath.completions($0) }))
  var photo: String

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let path = try RawArguments.requiredPath(photo)
    // A whole id has priority over a file of that name, but a file has priority over a prefix of an id.
    if let reference = PhotoReference(photo),
      UUID(uuidString: photo) != nil || access(path.string, F_OK) != 0
    {
      let cache = try reference.photos(options)
      let id = try reference.id(in: cache)
      try await about(FilePath(id.uuidString)) { () async throws(StoreError) in
        try await printPhoto(id, of: cache)
      }
    } else {
      try await about(path) { () async throws(StoreError) in try await printFile(path) }
    }
  }

  private func printPhoto(_ id: UUID, of cache: PhotoAttachmentCache) async throws(StoreError) {
    guard let found = try cache.findPhoto(id) else { throw .missingPhoto }
    let photo = found.photo
    let terminal = Terminal.standardOutput()
    let drawing = try await draw(
      (photo.preview.format, photo.preview.pixelWidth, photo.preview.pixelHeight), on: terminal
    ) { () async throws(StoreError) in
      try await cache.bytes(of: photo.preview)
    }
    let card = photo.card(verbose: options.verbose, on: terminal)
    try options.print(found.json, orText: drawing + card + terminal.dim(found.originLine))
  }

  private func printFile(_ path: FilePath) async throws(StoreError) {
    let pipeline = PhotoPipeline(decoding: options.startDecoders(for: path))
    let inspection = try StoreError.catching { try pipeline.inspect(.file(path)) }
    let terminal = Terminal.standardOutput()
    var drawing = ""
    if isDrawn(on: terminal) {
      let preview = try StoreError.catching { try pipeline.prepare(.file(path)).preview }
      drawing = try await draw(
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

  /// Returns the drawing with a line break at its end. Empty if nothing can be drawn.
  private func draw(
    _ picture: (format: ImageFormat, width: Int, height: Int), on terminal: Terminal,
    bytes: () async throws(StoreError) -> [UInt8]
  ) async throws(StoreError) -> String {
    guard isDrawn(on: terminal) else { return "" }
    return try await PreviewDrawing.text(
      picture, on: terminal, decoding: options.startDecoders(), bytes: bytes)
  }
}
