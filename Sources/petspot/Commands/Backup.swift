import Announcements
import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

struct Backup: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.backup.abstract", "help.backup.discussion",
    examples: """
      petspot backup /backup
      petspot backup /backup --keep 90
      """)

  @Argument(
    help: .words("help.backup.folder", "dir"), completion: .directory,
    transform: RawArguments.requiredTextPath)
  var folder: FilePath

  @Option(help: .words("help.backup.keep", "days"))
  var keep = 30

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if keep < 0 { throw ValidationError(text: "usage.optionBelowZero", ["option": "--keep"]) }
  }

  func run() async throws {
    guard let stores = try options.openStoresIfThere() else {
      throw Failure(
        .photo(.unreadable(.system(errno: ENOENT))), about: FilePath(options.cacheFolder.path))
    }
    let (target, stopped) = (BackupFolder(path: folder.string), StopFlag())
    let lifetime = Double(keep) * 86_400
    let summary = try await about(folder) { () async throws(StoreError) in
      try target.make()
      return try await target.locked(reading: false) { () async throws(StoreError) in
        let backup = StoreBackup(
          of: StoreMove.Side(stores.photos), to: target, pictures: Stores.pictures(of: target),
          keeping: lifetime, isStopped: { stopped.isSet })
        return try await Interruption.withCancellation(onInterrupt: { stopped.set() }) {
          () async throws(StoreError) in
          try await stores.photos.threads.finish { try backup.run() }
        }
      }
    }
    await stores.photos.recordSuccess(of: .backup)
    try options.print(summary.json, orText: summary.lines)
    if summary.isComplete { return }
    Output.note("petspot: " + L10n.words("backup.advice"))
    throw ExitCode(65)
  }
}

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
    let (backup, options, name) = (BackupFolder(path: folder.string), options, snapshot)
    let stopped = StopFlag()
    let summary = try await about(folder) { () async throws(StoreError) in
      try await backup.locked(reading: true) { () async throws(StoreError) in
        let stores = try options.openStores(decoders: nil)
        let target = StoreMove.Side(stores.photos)
        let restore = StoreRestore(
          from: backup, pictures: Stores.pictures(of: backup), to: target)
        return try await Interruption.withCancellation(onInterrupt: { stopped.set() }) {
          () async throws(StoreError) in
          try await stores.photos.threads.finish {
            try restore.run(name) { source throws(StoreError) in
              try StoreMove(
                from: source, to: target, pageSize: 256, isStopped: { stopped.isSet },
                progress: { _ in },
                onUnmoved: { photo throws(StoreError) in
                  try options.print(photo.json, orText: photo.line)
                }
              ).run()
            }
          }
        }
      }
    }
    try options.print(summary.json, orText: summary.restoredCounts)
    if summary.isDone { return }
    Output.note(
      "petspot: " + L10n.words(summary.isStopped ? "restore.again" : "restore.incomplete"))
    throw ExitCode(summary.isStopped ? StoreError.cancelled.facts.exitCode : 65)
  }
}
