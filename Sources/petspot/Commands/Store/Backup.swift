import Announcements
import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// `petspot backup`: adds a snapshot of the stores to a folder of backups.
struct Backup: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.backup.abstract", "help.backup.discussion",
    examples: """
      petspot backup /backup
      petspot backup /backup --keep 90
      petspot backup /backup --prove
      """)

  @Argument(
    help: .words("help.backup.folder", "dir"), completion: .directory,
    transform: RawArguments.requiredTextPath)
  var folder: FilePath

  @Option(help: .words("help.backup.keep", "days"))
  var keep = 30

  @Flag(help: .words("help.backup.prove"))
  var prove = false

  @Flag(help: .words("help.backup.withPictures"))
  var withPictures = false

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if keep < 0 { throw ValidationError(text: "usage.optionBelowZero", ["option": "--keep"]) }
  }

  func run() async throws {
    guard let stores = try options.openStoresIfThere() else {
      throw Failure(
        .photo(.unreadable(.system(errno: ENOENT))), about: FilePath(options.cacheFolder.path))
    }
    let photos = stores.photos
    let stopped = StopFlag()
    let (backup, summary) = try await about(folder) { () async throws(StoreError) in
      let known = try await photos.catalog.database.reading(.lookUp, StoreFigures.select)
      let records = RecordsToMove(photos)
      let folder = try BackupFolder(writing: folder.string, of: photos.folder) {
        path throws(StoreError) in try records.hasBackups(in: path)
      }
      // Ignore the error, because a store should be backed up even if its disk is full.
      do throws(StoreError) { try records.noteBackups(in: folder.path) } catch {
        Output.printNote("petspot: " + error.sentence(about: nil))
      }
      let backup = newBackup(of: photos, to: folder, lastProof: known.successes[.prove], stopped)
      let summary = try await Interruption.withStop(stopped, on: photos.threads) {
        try backup.makeBackup()
      }
      return (backup, summary)
    }
    if summary.isComplete { await photos.recordSuccess(of: .backup) }
    var (isProved, failure): (Bool?, StoreError?)
    if prove, summary.isComplete {
      do throws(StoreError) {
        isProved = try await Interruption.withCancellation(onInterrupt: { stopped.set() }) {
          () async throws(StoreError) in try await backup.restoresSample(of: summary.snapshot)
        }
      } catch { failure = error }
    }
    if isProved == true { await photos.recordSuccess(of: .prove) }
    try options.print(
      summary.json.adding(["sampleRestored": isProved]),
      orText: summary.lines)
    if let failure { throw Failure(failure, about: folder) }
    try end(summary, isProved)
  }

  private func newBackup(
    of photos: PhotoAttachmentCache, to folder: BackupFolder, lastProof: Date?, _ stopped: StopFlag
  ) -> StoreBackup {
    var backup = StoreBackup(of: photos, to: folder, options.report("backup.photo"))
    backup.lifetime = Double(keep) * 86_400
    backup.takesObjects = withPictures
    backup.partsToVerify = prove ? StoreBackup.parts(sinceProof: lastProof) : []
    backup.isStopped = { stopped.isSet }
    return backup
  }

  /// Prints advice and throws the exit code.
  private func end(_ summary: BackupSummary, _ isProved: Bool?) throws {
    if summary.moved.problems > 0 {
      Output.printNote(text: "backup.advice")
    } else if summary.moved.leftOut > 0 {
      Output.printNote(text: "backup.advice.again")
    }
    if summary.moved.unstored > 0 {
      Output.printNote(text: "backup.advice.unstored")
    }
    if isProved == false { Output.printNote(text: "backup.advice.sample") }
    if summary.damagedFiles > 0 || !summary.moved.isDone || isProved == false {
      throw ExitCode(65)
    }
    if summary.newerFiles > 0 { throw ExitCode(69) }
  }
}

extension GlobalOptions {
  /// Returns callbacks that print what is incomplete in a store or a folder of backups.
  fileprivate func report(_ key: TextKey) -> BackupReport {
    BackupReport(
      unmoved: { photo throws(StoreError) in
        try self.print(photo.json, orText: photo.line(key))
      },
      problem: { error throws(StoreError) in
        if json { try Output.line(Failure(error).json.adding(["event": "problem"]).line) }
        Output.printNote("petspot: " + error.sentence(about: nil))
      })
  }
}

/// `petspot restore`: copies a snapshot into empty stores.
struct Restore: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.restore.abstract", "help.restore.discussion",
    examples: """
      petspot restore /backup --cache /var/lib/petspot
      petspot restore /backup --snapshot 2026-11-26 --cache /tmp/restored
      """)

  @Argument(
    help: .words("help.backup.folder", "dir"), completion: .directory,
    transform: RawArguments.requiredTextPath)
  var folder: FilePath

  @Option(help: .words("help.restore.snapshot", "name"))
  var snapshot: String?

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let options = options
    let name = snapshot
    let stopped = StopFlag()
    let done = try await about(folder) { () async throws(StoreError) in
      let backup = try BackupFolder(reading: folder.string, to: options.cacheFolder)
      let photos = try options.openStores(decoding: .inProcess).photos
      return try await Interruption.withStop(stopped, on: photos.threads) {
        try backup.restore(
          name, to: photos, options.report("restore.photo"), isStopped: { stopped.isSet })
      }
    }
    let summary = done.moved
    try options.print(
      summary.json.adding(["snapshot": done.snapshot]),
      orText: "\(done.snapshot.prefix(24)): \(summary.restoredCounts)")
    if !done.newer.isEmpty {
      Output.printNote(text: "restore.newer", ["snapshots": done.newer.joined(separator: ", ")])
    }
    if summary.isDone, done.problems == 0 { return }
    Output.printNote(
      text: summary.isStopped
        ? "restore.again" : summary.isDone ? "restore.unread" : "restore.incomplete")
    throw ExitCode(summary.isStopped ? StoreError.cancelled.exitCode : 65)
  }
}
