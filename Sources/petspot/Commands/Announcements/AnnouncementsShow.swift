import Announcements
import ArgumentParser
import PetSpotStores
import PhotoAttachments
import ReportFlow

/// `petspot announcements show`: prints one open announcement with its photo.
struct AnnouncementsShow: ReaderCommand {
  static let configuration = CommandConfiguration(
    named: "show", "help.announcements.show.abstract", "help.announcements.show.discussion",
    examples: """
      petspot announcements show 6f9619ff
      petspot announcements show 6f9619ff --near 52.2297,21.0122
      """)

  @OptionGroup var reference: AnnouncementReference

  @Option(
    parsing: .unconditional, help: .words("help.announcements.show.near", "lat,lon"),
    transform: GivenPosition.init(argument:))
  var near: GivenPosition?

  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  func perform() async throws {
    let stores = try server.address == nil ? options.openStoresIfThere() : nil
    let repository: (any AnnouncementRepositoryProtocol)? =
      try server.repository(cache: nil) ?? stores?.announcements
    guard let repository else { throw AnnouncementError.notFound(id: reference.given) }
    let id = try await reference.id(in: stores?.announcements)
    let announcement = try await repository.announcement(id: id)
    try announcement.requireOpen()
    let terminal = Terminal.standardOutput()
    let card = AnnouncementCard(announcement, readerLocation: near?.coordinate, words: words)
    let json = announcement.json
    let drawing = try await drawing(of: announcement, in: stores, on: terminal)
    try options.print(
      json.addingKnown(["distanceKm": card.distanceKm]),
      orText: drawing + card.card(on: terminal))
  }

  /// Returns a drawing of the photo. Empty if it can't be drawn, because the text is still useful without it.
  private func drawing(
    of announcement: Announcement, in stores: Stores?, on terminal: Terminal
  ) async throws -> String {
    guard !options.json, !options.quiet, terminal.colors != .none, let photos = stores?.photos,
      let id = announcement.details.photoID, let photo = try await photos.photo(id: id)
    else { return "" }
    let preview = photo.preview
    let drawing = try? await PreviewDrawing.text(
      (preview.format, preview.pixelWidth, preview.pixelHeight), on: terminal,
      decoding: options.startDecoders()
    ) { () async throws(StoreError) in try await photos.bytes(of: preview) }
    return drawing ?? ""
  }
}
