import PhotoAttachments
import PhotoStoreSQLite
import StoreConformance
import TestStores
import Testing

@Suite struct StoreRulesInMemoryTests {
  @Test("A catalog in memory beside a folder keeps every rule of stores", arguments: StoreRule.all)
  func rules(_ rule: StoreRule) throws {
    #expect(try rule.findings(in: .inMemory()) == [])
  }

  @Test(
    "The rules notice whatever a catalog does wrong", arguments: MemoryCatalog.Fault.allCases)
  func aBrokenCatalogIsNoticed(_ fault: MemoryCatalog.Fault) throws {
    let noticed = try StoreRule.all.first {
      try !$0.findings(in: .inMemory(breaking: fault)).isEmpty
    }
    #expect(noticed != nil)
  }
}

extension StorePlace {
  /// A catalog in memory, and the pictures of a folder.
  fileprivate static func inMemory(breaking fault: MemoryCatalog.Fault? = nil) throws -> StorePlace
  {
    let (memory, faults, cache) = (MemoryCatalog.Memory(), Faults(), TemporaryCache())
    return StorePlace(
      open: {
        Stores(
          catalog: MemoryCatalog(memory, faults: faults, breaking: fault),
          storage: try FolderStorage.open(cache.folder))
      },
      staged: { cache.stagedCount }, loseRecord: { MemoryCatalog(memory).lose(photo: $0) },
      damage: cache.damage,
      breakdowns: [
        Breakdown("a call fails", calls: Breakdown.catalogCalls) {
          faults.fail(next: $0)
        } end: {
          faults.mend()
        }
      ]
    ).failing()
  }
}
