import Foundation
import PhotoIngestion

/// The state of one import: the position of each file, and what may start next.
///
/// All of this state belongs to one task that only waits. Walking, reading, preparing and writing run in child tasks on
/// threads that may block.
struct ImportPipeline {
  let importer: PhotoImporter
  let recordThreads: WorkerPool
  /// Threads that wait for a remote store.
  let uploadThreads: WorkerPool?
  let stop: StopFlag
  let prefetcher: ImportPrefetcher
  let reader: ImportReader
  let writer: LibraryWriter
  let onFile: @Sendable (ImportedFile) throws -> Void

  /// The result of a child task.
  private enum Step: Sendable {
    case prefetched([ImportPrefetcher.Report])
    case read(Int, ImportReader.Reading, bytesRead: Int, StageTimes)
    case judged(Int, ImportFinding.Verdict, StageTimes)
    case written([ImportedFile], StageTimes)
  }

  /// A file in progress. `memory` bytes are reserved for it until it has a verdict.
  private struct Slot {
    var path: ImportFinding.FoundPath
    var open: OpenFile?
    var memory = 0
    var reading: ImportReader.Reading?
    /// The digest of an earlier file in this import with the same bytes.
    var follows: String?
    var verdict: ImportFinding.Verdict?
    var bytesRead: Int?  // `nil` if it was not read
  }

  /// The maximum number of entries in progress. They take little memory once they have a verdict.
  private static let window = 1024
  private typealias Tasks = ThrowingTaskGroup<Step, any Error>

  private var summary = ImportSummary()
  /// Entries that the prefetcher has returned and that are not in progress yet.
  private var reports: [ImportPrefetcher.Report] = []
  /// `true` while the prefetcher runs.
  private var isScouting = false
  private var isWalkDone = false
  /// The entries in progress, by their positions in the walk.
  private var slots: [Int: Slot] = [:]
  // Positions in the walk. Files in [settled, decided) are being prepared, those in [decided, admitted) are being read.
  private var settled = 0
  private var decided = 0
  private var admitted = 0
  /// The number of files that are being read or prepared, and the memory in bytes that is reserved for them.
  private var active = 0
  private var reserved = 0
  /// Digests that are being prepared or wait to be recorded, and the reason if they were refused.
  private var claimed: [String: ImportRefusal?] = [:]
  /// The findings that will be recorded together next.
  private var group: [ImportFinding] = []
  private var groupBegan = ContinuousClock.now
  private var isWriting = false
  /// The number of files that were read but not recorded. A killed import has to repeat this work.
  private var unrecorded = (all: 0, inGroup: 0, inWriting: 0)
  /// Digests that the writer is recording.
  private var recording: Set<String> = []

  init(
    importer: PhotoImporter, recordThreads: WorkerPool, uploadThreads: WorkerPool?,
    stop: StopFlag,
    prefetcher: ImportPrefetcher, reader: ImportReader, writer: LibraryWriter,
    onFile: @escaping @Sendable (ImportedFile) throws -> Void
  ) {
    self.importer = importer
    self.stop = stop
    self.recordThreads = recordThreads
    self.uploadThreads = uploadThreads
    self.prefetcher = prefetcher
    self.reader = reader
    self.writer = writer
    self.onFile = onFile
  }

  /// Runs until the end of the walk, or until the import is stopped.
  func importAll() async throws(StoreError) -> ImportSummary {
    var line = self
    do {
      return try await withThrowingTaskGroup(of: Step.self) { tasks in
        do {
          while true {
            line.stopIfAsked()
            line.lookAhead(&tasks)
            line.admit(&tasks)
            line.decide(&tasks)
            line.settle()
            line.write(&tasks)
            if let step = try await tasks.next() {
              line.apply(step)
            } else if line.isDone {
              return line.summary
            }  // otherwise the verdicts of this round make room for more files
          }
        } catch {
          await line.discard(&tasks)
          throw error
        }
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .fault(.importing)
    }
  }

  /// Deletes staged pictures that won't be recorded, including those that are being made now.
  private mutating func discard(_ tasks: inout Tasks) async {
    tasks.cancelAll()
    while let step = await tasks.nextResult() {
      if case .success(let step) = step { apply(step) }
    }
    let pictures =
      group.flatMap(\.pictures)
      + slots.values.flatMap { slot in
        slot.verdict.map { ImportFinding(path: slot.path, verdict: $0).pictures } ?? []
      }
    for picture in pictures { importer.cache.blobs.discard(picture) }
  }

  // MARK: - Reading and deciding

  private mutating func stopIfAsked() {
    guard summary.stopped == nil, stop.isSet else { return }
    summary.stopped = .interrupted
    isWalkDone = true
    reports = []
  }

  private mutating func lookAhead(_ tasks: inout Tasks) {
    guard !isScouting, !isWalkDone, reports.count < 16 else { return }
    isScouting = true
    tasks.addTask { [recordThreads, prefetcher] in
      .prefetched(try await recordThreads.run { try prefetcher.next() })
    }
  }

  /// Starts to read files in walk order, as many as keep the threads busy and fit into memory. A photo that needs more
  /// than all of the memory is read alone.
  private mutating func admit(_ tasks: inout Tasks) {
    let threads = importer.cache.pool.threadCount + (uploadThreads?.threadCount ?? 0)
    var taken = 0
    defer { reports.removeFirst(taken) }
    for report in reports {
      guard slots.count < Self.window else { return }
      switch report {
      case .settled(let finding):
        slots[admitted] = Slot(path: finding.path, verdict: finding.verdict)
      case .open(let file, let open, let forecast, let isNewSize):
        let fits = reserved + forecast.memoryBytes <= importer.memoryBytes
        let isGroupOpen = unrecorded.all < max(PhotoImporter.groupSize, threads + 2)
        guard active < threads + 2, isGroupOpen, fits || active == 0 else { return }
        active += 1
        unrecorded.all += 1
        reserved += forecast.memoryBytes
        slots[admitted] = Slot(
          path: .file(file, sha256: nil), open: open, memory: forecast.memoryBytes,
          bytesRead: 0)
        let index = admitted
        let pool = importer.cache.pool
        tasks.addTask { [reader] in
          try await pool.run {
            var times = StageTimes()
            let (reading, bytes) = try reader.readFile(
              file, open, isPhoto: forecast.isPhoto, isNewSize: isNewSize, &times)
            return .read(index, reading, bytesRead: bytes, times)
          }
        }
      }
      admitted += 1
      taken += 1
    }
  }

  /// Decides which of several files with equal bytes becomes the photo, in walk order.
  private mutating func decide(_ tasks: inout Tasks) {
    while decided < admitted, var slot = slots[decided] {
      if slot.verdict == nil {
        guard let reading = slot.reading else { return }
        slot.reading = nil
        decide(&slot, reading, &tasks)
        slots[decided] = slot
      }
      decided += 1
    }
  }

  private mutating func decide(
    _ slot: inout Slot, _ reading: ImportReader.Reading, _ tasks: inout Tasks
  ) {
    guard case .file(let file, _) = slot.path else { return }
    switch reading {
    case .refused(let refusal):
      confirm(refusal, file, slot.open, &tasks)
    case .known(let knowledge, let sha256):
      slot.path = .file(file, sha256: sha256)
      slot.verdict =
        switch knowledge {
        case .photo(let id, let tier): .duplicate(of: id, tier ?? .bytes)
        case .refused(let refusal): .refused(refusal)
        }
      release(&slot)
    case .new(let received) where claimed[received.sha256] != nil:
      slot.path = .file(file, sha256: received.sha256)
      slot.follows = received.sha256
      slot.verdict = .duplicate(of: nil, .bytes)
      release(&slot)
    case .new(let received):
      if !received.sha256.isEmpty {
        claimed[received.sha256] = .some(nil)
        slot.path = .file(file, sha256: received.sha256)
      }
      let index = decided
      let pool = importer.cache.pool
      let open = slot.open
      tasks.addTask { [reader, uploadThreads] in
        let (result, times) = try await reader.prepare(received, on: pool, uploadThreads)
        switch result {
        case .success(let staged): return .judged(index, .staged(staged), times)
        case .failure(let error):
          return .judged(
            index, .refused(await ImportReader.confirmRefusal(.photo(error), file, open)), times)
        }
      }
    }
  }

  /// Starts to check whether a refusal is final (see `ImportReader.confirmed`).
  private mutating func confirm(
    _ refusal: ImportRefusal, _ file: FoundFile, _ open: OpenFile?, _ tasks: inout Tasks
  ) {
    let index = decided
    tasks.addTask {
      .judged(
        index, .refused(await ImportReader.confirmRefusal(refusal, file, open)), StageTimes())
    }
  }

  private mutating func release(_ slot: inout Slot) {
    active -= 1
    reserved -= slot.memory
    slot.memory = 0
    slot.open = nil
  }

  // MARK: - Recording

  /// Moves files with a verdict to the group, in walk order.
  private mutating func settle() {
    while settled < decided, group.count < Self.window, !isGroupFull,
      let slot = slots[settled], var verdict = slot.verdict
    {
      if case .refused(let refusal) = verdict, case .file(_, let sha256?) = slot.path,
        claimed[sha256] != nil
      {
        claimed[sha256] = .some(refusal)
      }
      // Files with equal bytes get the same refusal.
      if let leader = slot.follows, let refusal = claimed[leader] ?? nil {
        verdict = .refused(refusal)
      }
      if group.isEmpty { groupBegan = .now }
      let path = slot.path
      let bytesRead = slot.bytesRead ?? 0
      group.append(ImportFinding(path: path, verdict: verdict, bytesRead: bytesRead))
      if slot.bytesRead != nil { unrecorded.inGroup += 1 }
      slots[settled] = nil
      settled += 1
    }
  }

  /// A group has half of the allowed unrecorded files. The other half is prepared while it is written.
  private var isGroupFull: Bool { unrecorded.inGroup >= PhotoImporter.groupSize / 2 }

  private var isEverythingJudged: Bool {
    !isScouting && isWalkDone && reports.isEmpty && slots.isEmpty
  }

  private var isDone: Bool { isEverythingJudged && group.isEmpty && !isWriting }

  /// Starts to record the group if it is due and the previous one has been recorded.
  private mutating func write(_ tasks: inout Tasks) {
    // Results of a part of a shared import aren't urgent, and each group costs round trips.
    let isDue =
      isGroupFull || group.count >= Self.window / 4 || isEverythingJudged
      || ContinuousClock.now - groupBegan > .seconds(writer.countsFiles ? 5 : 1)
    guard !isWriting, !group.isEmpty, isDue else { return }
    isWriting = true
    let findings = group
    group = []
    unrecorded.inWriting = unrecorded.inGroup
    unrecorded.inGroup = 0
    tasks.addTask { [recordThreads, writer, onFile] in
      try await recordThreads.run {
        var times = StageTimes()
        let files = try writer.write(findings, &times)
        try StoreError.catching { for file in files { try onFile(file) } }
        return .written(files, times)
      }
    }
    for finding in findings {
      if case .file(_, let sha256?) = finding.path { recording.insert(sha256) }
    }
  }

  /// Updates the state with the result of a child task.
  private mutating func apply(_ step: Step) {
    switch step {
    case .prefetched(let found):
      isScouting = false
      if found.isEmpty { isWalkDone = true }
      // After a stop, no further file is started.
      if summary.stopped == nil { reports += found }
    case .read(let index, let reading, let bytesRead, let times):
      summary.stages += times
      summary.bytesRead += bytesRead
      slots[index]?.reading = reading
      slots[index]?.bytesRead = bytesRead
    case .judged(let index, let verdict, let times):
      summary.stages += times
      guard var slot = slots[index] else { return }
      slot.verdict = verdict
      release(&slot)
      slots[index] = slot
    case .written(let files, let times):
      summary.stages += times
      isWriting = false
      unrecorded.all -= unrecorded.inWriting
      unrecorded.inWriting = 0
      // From now on these digests are found in the catalog.
      for digest in recording { claimed[digest] = nil }
      recording = []
      for file in files { summary.count(file) }
    }
  }
}
