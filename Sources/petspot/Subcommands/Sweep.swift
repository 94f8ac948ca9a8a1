import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow

struct Sweep: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Delete rubbish and expired drafts from the cache.",
    discussion: """
      Deletes what interrupted work left behind, pictures without a record, and drafts untouched \
      for 7 days with their photos. Nothing outside the cache folder is ever deleted.

      EXAMPLES:
        petspot sweep --dry-run
        petspot sweep
      """)

  @Flag(help: "Only tell what would be deleted.")
  var dryRun = false

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let stores = try options.openStores()
    let dryRun = dryRun
    // Before the photos: what they are touched by decides whether a report is still in use.
    let typed = try await stores.drafts.expire(
      before: Date(timeIntervalSinceNow: -PhotoAttachmentCache.draftLifetime), dryRun: dryRun)
    var report = try await Interruption.cancelling { () async throws(StoreError) in
      try await stores.photos.sweep(dryRun: dryRun)
    }
    report.removedDrafts += typed
    let blobs = report.removedBlobs == 1 ? "1 file" : "\(Words.number(report.removedBlobs)) files"
    let removed =
      report.removedDrafts == 1 ? "1 draft" : "\(Words.number(report.removedDrafts)) drafts"
    try options.print(
      [
        "removedBlobs": .int(report.removedBlobs), "removedBytes": .int(report.removedBytes),
        "removedDrafts": .int(report.removedDrafts), "dryRun": .bool(dryRun),
      ],
      orText: (dryRun ? "Would delete " : "Deleted ")
        + "\(blobs) (\(Words.size(report.removedBytes))) and \(removed).")
  }
}
