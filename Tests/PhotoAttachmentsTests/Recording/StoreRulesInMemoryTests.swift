import StoreConformance
import Testing

@Suite struct StoreRulesInMemoryTests {
  @Test("A catalog and a storage in memory keep every rule of stores", arguments: StoreRule.all)
  func rules(_ rule: StoreRule) {
    #expect(rule.findings(in: .inMemory()) == [])
  }

  @Test(
    "The rules notice whatever a catalog does wrong", arguments: MemoryCatalog.Fault.allCases)
  func aBrokenCatalogIsNoticed(_ fault: MemoryCatalog.Fault) {
    let noticed = StoreRule.all.first { !$0.findings(in: .inMemory(breaking: fault)).isEmpty }
    #expect(noticed != nil)
  }

  @Test(
    "The rules notice whatever a storage does wrong", arguments: MemoryStorage.Fault.allCases)
  func aBrokenStorageIsNoticed(_ fault: MemoryStorage.Fault) {
    let noticed = StoreRule.all.first { !$0.findings(in: .inMemory(breaking: nil, fault)).isEmpty }
    #expect(noticed != nil)
  }
}
