import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage
import ReportFlow

/// `petspot similar`: finds photos that look like another one, or groups of such photos. A distance is the number of
/// bits, 0 to 64, in which perceptual hashes differ.
struct Similar: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.similar.abstract", "help.similar.discussion",
    examples: """
      petspot similar 6F9619FF-8B86-4011-B42D-00C04FC964FF
      petspot similar --all
      """)

  @Argument(
    help: .words("help.similar.reference", "id"), completion: PhotoReference.completion(),
    transform: PhotoReference.required)
  var reference: PhotoReference?

  @Flag(help: .words("help.similar.all"))
  var all = false

  @Option(help: .words("help.similar.distanceRange", "n"))
  var distance: Int?

  @Option(help: .words("help.announcements.list.limit", "n"))
  var limit = 20

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if all == (reference != nil) { throw ValidationError(text: "usage.similarOneOrAll") }
    if let distance, !(0...64).contains(distance) {
      throw ValidationError(text: "usage.similarDistance")
    }
    if limit < 1 { throw ValidationError(text: "usage.optionBelowOne", ["option": "--limit"]) }
  }

  func run() async throws {
    guard let reference else { return try runForAll() }
    let photos = try reference.photos(options)
    let id = try reference.id(in: photos)
    let found = try await about(FilePath(id.uuidString)) { () async throws(StoreError) in
      try await photos.similar(to: id, distance: distance ?? 10, limit: limit)
    }
    if !found.isEmpty { try printHeader() }
    for similar in found {
      guard let photo = try photos.findPhoto(similar.photo.id) else { continue }
      try options.print(
        ["distance": similar.distance, "photo": photo.json],
        orText: row(photo, similar.distance))
    }
    try printNone(if: found.isEmpty)
  }

  /// Lists groups of similar photos. Each group begins with the photo that was stored first.
  private func runForAll() throws {
    let photos = try options.openStoresIfThere()?.photos
    let groups =
      try photos?.lookAlikes(
        distance: distance ?? PhotoAttachmentCache.lookAlikeDistance) ?? []
    if !groups.isEmpty { try printHeader() }
    for (number, group) in groups.prefix(limit).enumerated() {
      let found = try group.compactMap { member in
        try photos?.findPhoto(member.id).map { (photo: $0, distance: member.distance) }
      }
      try options.print(
        [
          "group": number + 1,
          "photos": found.map { ["distance": $0.distance, "photo": $0.photo.json] as JSON },
        ],
        orText: found.map { row($0.photo, $0.distance) }.joined(separator: "\n")
          + (number + 1 < min(limit, groups.count) ? "\n" : ""))
    }
    try printNone(if: groups.isEmpty)
  }

  private func printHeader() throws {
    if options.json || options.quiet { return }
    try Output.line(
      Terminal.standardOutput().dim(
        L10n.words("similar.header") + FoundPhoto.rowHeader(verbose: options.verbose)))
  }

  private func printNone(if isEmpty: Bool) throws {
    if isEmpty { try options.say(L10n.words(all ? "similar.noGroups" : "similar.none")) }
  }

  private func row(_ photo: FoundPhoto, _ distance: Int) -> String {
    String(format: L10n.words("similar.bits"), distance)
      + photo.row(on: Terminal.standardOutput(), verbose: options.verbose, indent: 10)
  }
}
