import ArgumentParser
import PhotoAttachments

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
    let cache = try options.openCache()
    let dryRun = dryRun
    let report = try await Interruption.cancelling { () async throws(PhotoError) in
      try await cache.sweep(dryRun: dryRun)
    }
    let blobs = report.removedBlobs == 1 ? "1 file" : "\(Words.number(report.removedBlobs)) files"
    let drafts =
      report.removedDrafts == 1 ? "1 draft" : "\(Words.number(report.removedDrafts)) drafts"
    try options.print(
      [
        "removedBlobs": .int(report.removedBlobs), "removedBytes": .int(report.removedBytes),
        "removedDrafts": .int(report.removedDrafts), "dryRun": .bool(dryRun),
      ],
      orText: (dryRun ? "Would delete " : "Deleted ")
        + "\(blobs) (\(Words.size(report.removedBytes))) and \(drafts).")
  }
}
