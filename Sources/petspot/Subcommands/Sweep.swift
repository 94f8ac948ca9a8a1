import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow

struct Sweep: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Delete rubbish and expired drafts from the cache.",
      pl: "Usuń resztki i porzucone zgłoszenia z folderu danych."),
    discussion: HelpText.text(
      en: """
        Deletes what interrupted work left behind, pictures without a record, and drafts untouched \
        for 7 days with their photos. Nothing outside the cache folder is ever deleted. With --draft-space \
        reports that visitors of a server left unpublished give way as well, the oldest first, until they \
        take no more than that.

        With --shard several machines share the work on one database and one store of objects: started as \
        1/3, 2/3 and 3/3, each looks at a third of the pictures, and the first one also at drafts.
        """,
      pl: """
        Usuwa to, co zostało po przerwanej pracy, obrazy bez wpisu oraz zgłoszenia nieruszane od 7 dni z ich \
        zdjęciami. Nic poza folderem danych nie jest usuwane. Z --draft-space ustępują też nieopublikowane \
        zgłoszenia odwiedzających serwer, od najstarszych, aż zmieszczą się w podanym miejscu.

        Z --shard kilka maszyn dzieli się pracą nad jedną bazą i jednym magazynem obiektów: jako 1/3, 2/3 i \
        3/3 każda przegląda trzecią część obrazów, a pierwsza także zgłoszenia.
        """,
      examples: """
        petspot sweep --dry-run
        petspot sweep
        petspot sweep --shard 1/3
        """))

  @Flag(
    help: Speech.pick(
      en: "Only tell what would be deleted.", pl: "Powiedz tylko, co zostałoby usunięte."))
  var dryRun = false

  @Option(
    name: .customLong("draft-space"),
    help: ArgumentHelp(
      Speech.pick(
        en: "The space that visitors' unpublished reports may take, as for serve.",
        pl: "Miejsce na nieopublikowane zgłoszenia odwiedzających, jak w serve."),
      valueName: "size"),
    transform: ByteSize.parse)
  var draftSpace: Int?

  @OptionGroup var sizes: SizeSpaceOption

  @OptionGroup var work: ShardOption
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    guard let stores = try options.openStoresIfThere() else { return try tell(.nothing, 0) }
    let (dryRun, sizeSpace, shard) = (dryRun, sizes.sizeSpace, work.part)
    // Before the photos: what they are touched by decides whether a report is still in use.
    let typed =
      shard.isFirst
      ? try await stores.drafts.expire(
        before: Date(timeIntervalSinceNow: -PhotoAttachmentCache.draftLifetime), dryRun: dryRun)
      : 0
    var report = try await Interruption.cancelling { () async throws(StoreError) in
      try await stores.photos.sweep(
        dryRun: dryRun, grace: Self.grace, sizeSpace: sizeSpace ?? PhotoAttachmentCache.sizeSpace,
        shard: shard)
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
    try tell(report, count)
  }

  /// Seconds for which a picture without a record is left alone: ten minutes, or
  /// `PETSPOT_GRACE_SECONDS`, for tests; with -1 none is.
  private static var grace: TimeInterval {
    let named = getenv("PETSPOT_GRACE_SECONDS").flatMap { Double(String(cString: $0)) }
    return named.map { min(max($0, -1), 3600) } ?? PhotoAttachmentCache.recordingGrace
  }

  private func tell(_ report: SweepReport, _ draftsOverSpace: Int) throws {
    let blobs = report.removedBlobs == 1 ? "1 file" : "\(Words.number(report.removedBlobs)) files"
    let removed =
      report.removedDrafts == 1 ? "1 draft" : "\(Words.number(report.removedDrafts)) drafts"
    let size = Words.size(report.removedBytes)
    let json: JSON = [
      "removedBlobs": .int(report.removedBlobs), "removedBytes": .int(report.removedBytes),
      "removedDrafts": .int(report.removedDrafts),
      "removedDraftsOverSpace": .int(draftsOverSpace), "dryRun": .bool(dryRun),
    ]
    try options.print(
      work.marking(json),
      orText: Speech.pick(
        en: (dryRun ? "Would delete " : "Deleted ") + "\(blobs) (\(size)) and \(removed).",
        pl: (dryRun ? "Do usunięcia: " : "Usunięto: ")
          + "pliki: \(Words.number(report.removedBlobs)) (\(size)), porzucone zgłoszenia: "
          + "\(Words.number(report.removedDrafts))."))
  }
}
