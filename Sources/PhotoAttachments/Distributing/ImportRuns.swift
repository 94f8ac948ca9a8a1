/// Imports that many workers share: what is left to do of them, who does it, and what came of it.
///
/// A run is a list of inputs, cut into parts. A worker claims a part and works on its inputs from where
/// the part's *cursor* stands. Each group that it records is one act with its counts, its outcomes and
/// the new place of the cursor, and with a look whether the claim still holds: its token is the fence
/// that keeps out who was believed dead. So each input is counted once, whoever dies when. The protocol
/// is searched through in Scripts/modelling/claims.pml.
///
/// Calls block, and happen whole or not at all.
package protocol ImportRuns: Sendable {
  /// Begins the run of an order, or finds the one that is not done yet. A run whose list was not
  /// completed is listed anew; who listed it so far can add nothing any more.
  func begin(_ order: ImportOrder) throws(StoreError) -> RunStart

  /// Adds a part to a run that is being listed.
  ///
  /// - Parameter entries: at least one; of about a minute's work.
  /// - Returns: false when somebody else lists the run now.
  func enlist(_ entries: [ListedEntry], in list: RunStart) throws(StoreError) -> Bool

  /// Completes the list, so that workers begin. False when somebody else lists the run now.
  func complete(_ list: RunStart) throws(StoreError) -> Bool

  /// Runs that workers may work on, with what has to be there for them.
  func working() throws(StoreError) -> [(id: Int64, source: ImportOrder.Source)]

  /// Claims a part of a run: one that nobody has, else one whose worker told nothing for the length of
  /// its lease, by the database's clock. Nil when there is none now.
  ///
  /// - Parameters:
  ///   - worker: machine and process, for people.
  ///   - lease: seconds until others may believe that this worker is gone.
  func claim(_ run: Int64, worker: String, lease: Double) throws(StoreError) -> PartClaim?

  /// The inputs of a claim that are left, in their order.
  func entries(of claim: PartClaim) throws(StoreError) -> [ListedEntry]

  /// Tells that the worker lives; false when the claim is lost.
  func renew(_ claim: PartClaim) throws(StoreError) -> Bool

  /// Gives a part back, for the next to go on from where it stands; nothing when the claim is lost.
  func giveBack(_ claim: PartClaim) throws(StoreError)

  /// The catalog for the work on a claim. Its `record` also counts what a decision tells of its files;
  /// it throws `StoreError.lostClaim`, and nothing happened, when the claim does not hold any more.
  ///
  /// - Parameter entries: what `entries` gave.
  func catalog(of claim: PartClaim, entries: [ListedEntry]) -> LibraryCatalog

  /// How far runs are, the newest first; all that are known, or one.
  func facts(of run: Int64?) throws(StoreError) -> [RunFacts]

  /// How far the cursors of parts have come, by their numbers, from one part on.
  func cursors(_ run: Int64, from part: Int64) throws(StoreError) -> [PartCursor]

  /// What became of inputs that are counted, in their order.
  func results(_ run: Int64, _ places: Range<Int64>) throws(StoreError) -> [RunResult]
}

/// How one who asks for an import stands to its run.
package struct RunStart: Sendable, Equatable {
  package var run: Int64
  /// Names who lists the run; nil for a run that is listed.
  package var lister: String?

  package init(run: Int64, lister: String?) { (self.run, self.lister) = (run, lister) }
}

/// How far a part is.
package struct PartCursor: Sendable, Equatable {
  package var number: Int64
  /// The places of its inputs.
  package var inputs: Range<Int64>
  /// The first input that is not counted.
  package var cursor: Int64

  package init(number: Int64, inputs: Range<Int64>, cursor: Int64) {
    (self.number, self.inputs, self.cursor) = (number, inputs, cursor)
  }
}

extension StoreError {
  /// A part of a run belongs to another worker now.
  package static let lostClaim = StoreError.database(what: "lost-claim", detail: "")
}
