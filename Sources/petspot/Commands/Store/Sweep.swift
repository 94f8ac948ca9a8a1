import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow

/// `petspot sweep`: deletes expired drafts, the contents of closed announcements, and unused pictures.
struct Sweep: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.sweep.abstract", "help.sweep.discussion",
    examples: """
      petspot sweep --dry-run
      petspot sweep
      petspot sweep --shard 1/3
      """)

  @Flag(help: .words("help.sweep.dryRun"))
  var dryRun = false

  @Option(help: .words("help.sweep.draftSpace", "size"), transform: ByteSize.parse)
  var draftSpace: Int?

  @Option(help: .words("help.sweep.sizeSpace", "size"), transform: ByteSize.parse)
  var sizeSpace: Int?

  @OptionGroup var work: ShardOption
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    guard let stores = try options.openStoresIfThere() else {
      return try printReport(.nothing, 0, 0)
    }
    let dryRun = dryRun
    let sizeSpace = sizeSpace
    let shard = work.part
    // Drafts are expired before the photos, because the photos' last use decides whether a report is in use.
    let typed =
      shard.isFirst
      ? try await stores.drafts.expire(
        before: Date(timeIntervalSinceNow: -PhotoAttachmentCache.draftLifetime), dryRun: dryRun)
      : 0
    let closed =
      shard.isFirst
      ? try await stores.announcements.forgetClosed(
        before: Date(timeIntervalSinceNow: -AnnouncementStore.reopenSeconds), dryRun: dryRun)
      : 0
    var report = try await Interruption.withCancellation { () async throws(StoreError) in
      try await stores.photos.sweep(
        dryRun: dryRun, grace: .seconds(Self.grace), sizeSpace: sizeSpace, shard: shard)
    }
    report.removedDrafts += typed
    var count = 0
    if let draftSpace, shard.isFirst,
      case .made(let drafts, let files, let bytes) = try await stores.drafts.makeRoom(
        in: DraftSpace(bytes: draftSpace), dryRun: dryRun)
    {
      count = drafts
      report.removedDrafts += drafts
      report.removedBlobs += files
      report.removedBytes += bytes
    }
    if !dryRun { await stores.photos.recordSuccess(of: .sweep) }
    try printReport(report, count, closed)
  }

  /// The seconds for which a picture without a record is kept: ten minutes, or `PETSPOT_GRACE_SECONDS` for tests. With
  /// -1, such pictures are removed at once.
  private static var grace: TimeInterval {
    let named = getenv("PETSPOT_GRACE_SECONDS").flatMap { Double(String(cString: $0)) }
    return named.map { min(max($0, -1), 3600) } ?? PhotoAttachmentCache.recordingGrace
  }

  private func printReport(_ report: SweepReport, _ draftsOverSpace: Int, _ closed: Int) throws {
    let json: JSON = [
      "removedBlobs": report.removedBlobs, "removedBytes": report.removedBytes,
      "removedDrafts": report.removedDrafts, "removedDraftsOverSpace": draftsOverSpace,
      "forgottenAnnouncements": closed, "dryRun": dryRun,
    ]
    try options.print(
      work.marking(json),
      orText: L10n.words(
        dryRun ? "sweep.wouldDelete" : "sweep.done",
        [
          "files": L10n.words("count.files", count: report.removedBlobs),
          "size": Amounts.size(report.removedBytes),
          "drafts": L10n.words("count.drafts", count: report.removedDrafts),
        ]))
  }
}
