import PhotoAttachments

extension StorePlace {
  /// A new place in memory.
  package static func inMemory(
    breaking fault: MemoryCatalog.Fault? = nil, _ storageFault: MemoryStorage.Fault? = nil
  ) -> StorePlace {
    let memory = MemoryCatalog.Memory()
    let storage = MemoryStorage(breaking: storageFault)
    let faults = Faults()
    return StorePlace(
      open: {
        Stores(
          catalog: MemoryCatalog(memory, faults: faults, breaking: fault), storage: storage)
      },
      staged: { storage.stagedCount },
      loseRecord: { MemoryCatalog(memory).lose(photo: $0) },
      damage: { storage.damage($0, $1) },
      breakdowns: [
        Breakdown("a call fails", calls: Breakdown.catalogCalls.union(Breakdown.storageCalls)) {
          faults.fail(next: $0)
          storage.faults.fail(next: $0 == "delete" ? "remove" : $0)
        } end: {
          faults.mend()
          storage.faults.mend()
        }
      ])
  }
}
