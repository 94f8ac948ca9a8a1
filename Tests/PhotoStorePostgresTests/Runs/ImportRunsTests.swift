import Dispatch
import Foundation
import Glibc
@testable import PhotoAttachments
import PhotoIngestion
import TestPostgres
import Testing

@testable import PhotoStorePostgres

@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct ImportRunsTests {
  private let database: TestDatabase
  private let runs: ImportRuns

  init() throws {
    database = try TestDatabase()
    runs = ImportRuns(Catalog(try database.store()))
  }

  private static func order(_ name: String = "/photos") -> ImportOrder {
    ImportOrder(names: [name], source: .folders([]), choice: [])
  }

  private static func entry(_ number: Int) -> ListedEntry {
    let path = Array("/photos/\(number)\"\\ é".utf8) + [0xff]
    return ListedEntry(
      path: path,
      file: .init(
        key: path,
        identity: FileIdentity(device: 7, inode: Int64(number), size: 10 + number, modified: -1),
        throughLink: number == 1))
  }

  /// Begins a run with this many parts of this many inputs, for workers to claim.
  private func begin(parts: Int, of inputs: Int, name: String = "/photos") throws -> Int64 {
    let list = try runs.begin(Self.order(name))
    for part in 0..<parts {
      let entries = (part * inputs..<(part + 1) * inputs).map(Self.entry)
      #expect(try runs.enlist(entries, in: list))
    }
    #expect(try runs.complete(list))
    return list.run
  }

  private static let refusal = ImportRefusal.photo(.corrupt(what: "test"))

  /// Records the next inputs of a claim as refused, with the facts about their files.
  private func record(
    _ count: Int, of claim: PartClaim, from cursor: Int64? = nil, hinder: StoreError? = nil
  ) throws {
    let entries = try runs.entries(of: claim)
    let first = Int((cursor ?? claim.left.lowerBound) - claim.left.lowerBound)
    var decision = GroupDecision()
    for entry in entries[first..<(first + count)] {
      guard let file = entry.file else { continue }
      decision.sources.append(
        SourceRecord(
          path: file.key, identity: file.identity, sha256: nil, knowledge: .refused(Self.refusal)))
      decision.results.append(
        .init(.failed(Self.refusal), sizeBytes: file.identity.size, bytesRead: 3))
    }
    let made = decision
    _ = try runs.catalog(of: claim, entries: entries).record(GroupQuery()) { _ in
      made
    } naming: { _ in
      if let hinder { throw hinder }
    }
  }

  private func recorded() throws -> Int {
    try #require(Int(try database.sql("SELECT count(*) FROM source_file")))
  }

  private func facts(_ run: Int64) throws -> RunFacts {
    try #require(try runs.facts(of: run).first)
  }

  @Test("Parts are claimed in turn and counted, and the run is done when all parts are")
  func worksThrough() throws {
    let run = try begin(parts: 2, of: 3)
    #expect(try runs.selectWorking().map(\.id) == [run])
    let one = try #require(try runs.claim(run, worker: "a:1", lease: 60))
    let two = try #require(try runs.claim(run, worker: "b:2", lease: 60))
    #expect(one.left == 0..<3 && two.left == 3..<6 && one.token != two.token)
    #expect(try runs.claim(run, worker: "c", lease: 60) == nil)
    #expect(try runs.entries(of: two) == (3..<6).map(Self.entry))
    try record(2, of: one)
    let half = try facts(run)
    #expect(half.totals.failed == 2 && half.totals.bytesRead == 6 && half.state == .working)
    #expect(half.workers.map(\.name) == ["a:1", "b:2"] && half.workers.allSatisfy(\.isAlive))
    #expect(half.inputs.files == 6 && half.inputs.bytes == 75 && half.partsDone == 0)
    try record(1, of: one, from: 2)
    try record(3, of: two)
    #expect(try runs.claim(run, worker: "c", lease: 60) == nil)
    let done = try facts(run)
    #expect(done.state == .done && done.totals.files == 6 && done.partsDone == 2)
    #expect(done.ended != nil && done.workers == [])
    #expect(try runs.selectWorking().isEmpty)
    let results = try runs.results(run, 1..<5)
    #expect(results.map(\.place) == [1, 2, 3, 4])
    #expect(results.map(\.path) == (1..<5).map { Self.entry($0).path })
    #expect(results.allSatisfy { $0.outcome == .refused(Self.refusal) })
    #expect(
      try runs.cursors(run, from: 1) == [PartCursor(number: 1, inputs: 3..<6, cursor: 6)])
    #expect(try recorded() == 6)
  }

  @Test("A worker that was taken for dead can't change records or counts, even late")
  func fenced() throws {
    let run = try begin(parts: 1, of: 4)
    let late = try #require(try runs.claim(run, worker: "late", lease: 0.3))
    try record(1, of: late)
    #expect(try runs.claim(run, worker: "early", lease: 60) == nil)
    usleep(400_000)
    let next = try #require(try runs.claim(run, worker: "next", lease: 60))
    #expect(next.left == 1..<4 && next.attempts == 2)
    #expect(throws: StoreError.lostClaim) { try record(1, of: late, from: 1) }
    #expect(try !runs.renew(late))
    try runs.giveBack(late)
    #expect(try recorded() == 1)
    #expect(try facts(run).totals.files == 1)
    try record(3, of: next)
    #expect(throws: StoreError.lostClaim) { try record(1, of: late, from: 1) }
    #expect(try facts(run).totals.failed == 4)
    #expect(try recorded() == 4)
  }

  @Test("A lease that is renewed in time, directly or with a record, can't be taken over")
  func renewed() throws {
    let run = try begin(parts: 1, of: 8)
    let claim = try #require(try runs.claim(run, worker: "a", lease: 0.6))
    for place in 0..<4 {
      usleep(250_000)
      if place % 2 == 0 {
        #expect(try runs.renew(claim))
      } else {
        try record(1, of: claim, from: Int64(place / 2))
      }
      #expect(try runs.claim(run, worker: "b", lease: 60) == nil)
    }
    // An expired lease remains with its worker until another one claims the part.
    usleep(700_000)
    try record(1, of: claim, from: 2)
    #expect(try facts(run).totals.files == 3)
  }

  @Test("Records, counts and the cursor move together or not at all")
  func oneTransaction() throws {
    let run = try begin(parts: 1, of: 3)
    let claim = try #require(try runs.claim(run, worker: "a", lease: 60))
    #expect(throws: StoreError.storageFull(operation: "rename", path: "", errno: ENOSPC)) {
      try record(
        2, of: claim, hinder: .storageFull(operation: "rename", path: "", errno: ENOSPC))
    }
    #expect(try recorded() == 0 && facts(run).totals.files == 0)
    #expect(try database.sql("SELECT cursor FROM import_part") == "0")
    #expect(try database.sql("SELECT count(*) FROM import_input WHERE outcome IS NOT NULL") == "0")
    // A count beyond the end of the part is refused for everyone.
    let other = try runs.entries(of: claim)
    var decision = GroupDecision()
    decision.results = (0..<4).map { _ in .init(.failed(Self.refusal), sizeBytes: 1, bytesRead: 1) }
    let made = decision
    #expect(throws: StoreError.self) {
      _ = try runs.catalog(of: claim, entries: other).record(GroupQuery()) { _ in
        made
      } naming: { _ in
      }
    }
    #expect(try facts(run).totals.files == 0)
    try record(3, of: claim)
    #expect(try facts(run).totals.files == 3)
  }

  @Test("A part that is given back continues at its cursor")
  func givenBack() throws {
    let run = try begin(parts: 1, of: 3)
    let claim = try #require(try runs.claim(run, worker: "a", lease: 60))
    try record(2, of: claim)
    try runs.giveBack(claim)
    #expect(throws: StoreError.lostClaim) { try record(1, of: claim, from: 2) }
    #expect(try #require(try runs.claim(run, worker: "b", lease: 60)).left == 2..<3)
  }

  @Test("An order is one run until it is done, but an incomplete list is begun again")
  func takenOver() throws {
    let first = try runs.begin(Self.order())
    #expect(try runs.enlist([Self.entry(1)], in: first))
    #expect(try runs.selectWorking().isEmpty)
    #expect(try runs.claim(first.run, worker: "a", lease: 60) == nil)
    let second = try runs.begin(Self.order())
    #expect(second.run == first.run && second.lister != nil && second.lister != first.lister)
    #expect(try !runs.enlist([Self.entry(2)], in: first))
    #expect(try !runs.complete(first))
    #expect(try runs.enlist([Self.entry(3)], in: second))
    #expect(try runs.complete(second))
    #expect(try runs.begin(Self.order()) == RunStart(run: first.run, lister: nil))
    #expect(try runs.begin(Self.order("/others")).run != first.run)
    let claim = try #require(try runs.claim(first.run, worker: "a", lease: 60))
    #expect(try runs.entries(of: claim) == [Self.entry(3)])
    try record(1, of: claim)
    #expect(try runs.claim(first.run, worker: "a", lease: 60) == nil)
    #expect(try runs.begin(Self.order()).run != first.run)
    // A run without inputs is done at once.
    let empty = try runs.begin(Self.order("/empty"))
    #expect(try runs.complete(empty))
    #expect(try facts(empty.run).state == .done)
  }

  @Test("If workers die between any two steps, each input is counted once")
  func dying() throws {
    let run = try begin(parts: 10, of: 30)
    let refused = Shared(0)
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do {
        while try facts(run).state != .done {
          guard let claim = try runs.claim(run, worker: "w\(number)", lease: 0.05) else {
            usleep(5000)
            continue
          }
          var cursor = claim.left.lowerBound
          // Some workers die, and some sleep past their lease and continue.
          while cursor < claim.left.upperBound, Int.random(in: 0..<6) > 0 {
            if Int.random(in: 0..<4) == 0 { usleep(80_000) }
            let count = Int.random(in: 1...Int(min(3, claim.left.upperBound - cursor)))
            do { try record(count, of: claim, from: cursor) } catch let error as StoreError
              where error == .lostClaim
            {
              refused.change { $0 += 1 }
              break
            }
            cursor += Int64(count)
          }
        }
      } catch {
        Issue.record(error)
      }
    }
    let done = try facts(run)
    #expect(done.totals.failed == 300 && done.totals.files == 300 && done.totals.bytesRead == 900)
    #expect(try recorded() == 300)
    #expect(refused.value > 0)
    #expect(try runs.results(run, 0..<300).count == 300)
  }
}
