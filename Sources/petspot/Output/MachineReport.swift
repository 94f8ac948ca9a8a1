import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// A problem of this machine and how to fix it.
struct MachineProblem {
  var code: String
  var fix: String

  init(_ code: String, _ fix: TextKey, _ details: [String: String] = [:]) {
    self.init(code: code, fix: L10n.words(fix, details))
  }

  init(code: String, fix: String) {
    self.code = code
    self.fix = fix
  }

  init(_ error: StoreError) { self.init(code: error.code, fix: error.sentence(about: nil)) }

  /// Creates the fix for a problem of the decoders.
  init(decoder problem: PhotoError.Fault) {
    let fix = L10n.words.text(named: "doctor.fix.\(problem.rawValue)")
    self.init(code: problem.rawValue, fix: fix ?? L10n.words("doctor.fix.other"))
  }
}

/// The report of `doctor` about one part of this machine. Creates nothing.
struct MachineReport {
  var json: JSON
  var lines: [String]
  var problems: [MachineProblem] = []

  private init(_ json: JSON, _ lines: [String]) {
    self.json = json
    self.lines = lines
  }

  private init(_ error: StoreError, _ line: TextKey) {
    self.init(Failure(error).json, [L10n.words(line)])
    problems = [MachineProblem(error)]
  }

  private mutating func add(
    _ code: String, _ fix: TextKey, _ details: [String: String] = [:], if isProblem: Bool
  ) {
    if isProblem { problems.append(MachineProblem(code, fix, details)) }
  }
}

extension MachineReport {
  /// The acceptable difference between clocks in milliseconds. A larger one gives wrong times in database records.
  /// Object stores reject requests that are a quarter of an hour off.
  private static let enough = (database: 5000, blobs: 60_000)

  /// Reports on a database, given the facts about it.
  init(database: Result<DatabaseFacts, StoreError>) {
    let facts: DatabaseFacts
    switch database {
    case .failure(let error):
      self.init(error, "doctor.databaseFailed")
      return
    case .success(let found): facts = found
    }
    self.init(
      [
        "address": facts.address, "version": facts.version,
        "clockDifferenceMilliseconds": facts.clockDifference, "encrypted": facts.isEncrypted,
        "durable": facts.isDurable, "tables": facts.hasTables, "mayWrite": facts.mayWrite,
      ],
      [
        L10n.words("doctor.database", ["version": facts.version, "address": facts.address])
          + L10n.words(facts.isEncrypted ? "doctor.encrypted" : "doctor.notEncrypted")
          + (facts.hasTables ? "" : L10n.words("doctor.noTables")),
        L10n.words(
          facts.clockDifference < 0 ? "doctor.clockBehind" : "doctor.clockAhead",
          ["milliseconds": "\(abs(facts.clockDifference))"]),
      ])
    let address = ["address": facts.address]
    add("database-rights", "doctor.fix.databaseRights", address, if: !facts.mayWrite)
    add("database-not-durable", "doctor.fix.durability", address, if: !facts.isDurable)
    let isOff = abs(facts.clockDifference) > Self.enough.database
    add("clock-difference", "doctor.fix.databaseClock", if: isOff)
  }

  /// Reports on the object store at an address. A promise is a property that the store is tested for.
  init(blobs address: String) {
    let facts: BlobsFacts
    do throws(StoreError) { facts = try BlobsFacts(of: address) } catch {
      self.init(error, "doctor.blobsFailed")
      return
    }
    self.init(
      [
        "address": facts.address, "library": facts.library,
        "promises": JSON.object(facts.guarantees.map { .init($0.name, $0.isKept) }),
        "clockDifferenceMilliseconds": facts.clockDifference,
      ],
      [L10n.words("doctor.blobs", ["address": facts.address, "library": facts.library])]
        + facts.guarantees.enumerated().map { index, promise in
          // Only the first promise is required: a new object must be readable at once.
          let lack: TextKey = index == 0 ? "doctor.noPromise" : "doctor.noPromiseNeeded"
          return L10n.words(promise.isKept ? "doctor.promise" : lack, ["name": promise.name])
        })
    let isKept = facts.guarantees.first?.isKept == true
    let isOff = abs(facts.clockDifference ?? 0) > Self.enough.blobs
    add(
      "blobs-not-read-after-write", "doctor.fix.blobs", ["address": facts.address], if: !isKept)
    add("clock-difference", "doctor.fix.blobsClock", ["address": facts.address], if: isOff)
  }
}

extension MachineReport {
  /// The free space below which a 200-megapixel photo may not fit.
  private static let enoughBytes = 1 << 30

  /// Reports on the cache folder. If it doesn't exist yet, the nearest existing parent is checked.
  init(cacheFolder path: FilePath) {
    var nearest = path
    while access(nearest.string, F_OK) != 0, nearest.removeLastComponent() {}
    if nearest.isEmpty { nearest = "." }
    let exists = access(path.string, F_OK) == 0
    let isWritable = nearest.isFolder && access(nearest.string, W_OK | X_OK) == 0
    // The space available to an ordinary user, or `nil` if the system doesn't report it.
    let free = SystemCalls.space(at: nearest.string)?.free
    self.init(
      [
        "path": DisplayText.verbatim(path), "exists": exists, "writable": isWritable,
        "freeBytes": free,
      ],
      [
        L10n.words("doctor.folder") + DisplayText.path(path)
          + (exists ? "" : L10n.words("doctor.folderMissing")),
        L10n.words("doctor.free") + (free.map(Amounts.size) ?? L10n.words("doctor.freeUnknown")),
      ])
    let name = ["path": DisplayText.path(path)]
    add("cache-not-writable", "doctor.fix.folderNotWritable", name, if: !isWritable)
    let distrust = CacheFolder(path: path.string).distrust
    problems += [distrust, Self.probe(path.string + "/incoming")].compactMap(\.self)
      .map(MachineProblem.init)
    if let free {
      let sizes = ["freeBytes": Amounts.size(free), "enoughBytes": Amounts.size(Self.enoughBytes)]
      add("disk-nearly-full", "doctor.fix.diskNearlyFull", sizes, if: free < Self.enoughBytes)
    }
  }

  /// Tests the disk by writing some bytes to a nameless file.
  ///
  /// - Returns: the error, or `nil` if the disk works or the folder doesn't exist yet.
  private static func probe(_ folder: String) -> StoreError? {
    guard access(folder, W_OK | X_OK) == 0 else { return nil }
    do throws(StoreError) {
      let file = try SystemCalls.openNameless(in: folder)
      defer { close(file) }
      try SystemCalls.write([UInt8](repeating: 1, count: 4096), to: file, path: folder)
      try SystemCalls.sync(file, path: folder)
      return nil
    } catch {
      return error
    }
  }
}
