import Foundation
import ReportFlowViewModels
import TestReports
import Testing

@testable import ReportFlow

@Suite struct SpeciesTaxonomyTests {
  @Test func theSevenSpeciesOfTheSeed() {
    let options = SpeciesTaxonomy.bundled.options
    #expect(
      options.map(\.id) == ["dog", "cat", "bird", "rabbit", "rodent", "reptile", "other"])
    #expect(
      options.map { $0.displayName(in: english) }
        == ["Dog", "Cat", "Bird", "Rabbit", "Rodent", "Reptile", "Other"])
    #expect(
      options.map { $0.displayName(in: polish) }
        == ["Pies", "Kot", "Ptak", "Królik", "Gryzoń", "Gad", "Inne"])
  }

  @Test func everySpeciesHasRacesInBothLanguages() {
    for option in SpeciesTaxonomy.bundled.options {
      let (en, pl) = (option.races[.en] ?? [], option.races[.pl] ?? [])
      #expect(!en.isEmpty && en.count == pl.count, "\(option.id)")
      #expect(Set(en).count == en.count && Set(pl).count == pl.count, "\(option.id)")
    }
  }

  @Test func suggestionsAreThoseOfTheSpecies() {
    #expect(dog.suggestions(for: "labr", in: english) == ["Labrador Retriever"])
    #expect(dog.suggestions(for: "", in: polish).first == "Kundelek")
    #expect(cat.suggestions(for: "labr", in: english).isEmpty)
    #expect(cat.suggestions(for: " DACH ", in: polish) == ["Dachowiec"])
  }

  @Test(arguments: [
    ("", TaxonomyError.unreadable), ("{}", .unreadable), ("[]", .unreadable),
    ("{\"version\":2,\"options\":[]}", .invalid),
    ("{\"version\":2,\"options\":[{\"id\":\"A B\",\"races\":{}}]}", .invalid),
    (
      "{\"version\":2,\"options\":[{\"id\":\"a\",\"races\":{}},{\"id\":\"a\",\"races\":{}}]}",
      .invalid
    ),
  ])
  func badListsAreRefused(text: String, error: TaxonomyError) {
    #expect(throws: error) { try SpeciesTaxonomy(Data(text.utf8)) }
  }

  @Test func hugeListsAreRefused() {
    #expect(throws: TaxonomyError.tooLarge) {
      try SpeciesTaxonomy(Data(count: SpeciesTaxonomy.maxFileBytes + 1))
    }
  }
}

@Suite struct TaxonomySourceTests {
  private let newer = """
    {"version":2,"options":[{"id":"dog","races":{"en":["Hovawart"],"pl":["Hovawart"]}},
    {"id":"ferret","races":{},"names":{"en":"Ferret","pl":"Fretka"}}]}
    """

  @Test func aNewerListIsTakenAndKept() async throws {
    let cache = try TestCache()
    let (copy, file) = (cache.url.appending(path: "t.json"), cache.url.appending(path: "n.json"))
    try Data(newer.utf8).write(to: file)
    let source = TaxonomySource(copy: copy, logger: cache.logger)
    #expect(await source.taxonomy == .bundled)
    await source.refresh(from: file)
    #expect(await source.taxonomy.version == 2)
    #expect(await !source.isOffline)
    let ferret = await source.taxonomy.option(id: "ferret")
    #expect(ferret?.displayName(in: polish) == "Fretka")
    // The next start has the list without a request.
    #expect(await TaxonomySource(copy: copy, logger: cache.logger).taxonomy.version == 2)
  }

  @Test func offlineTheListAtHandServesAndTheLogTells() async throws {
    let cache = try TestCache()
    let source = TaxonomySource(copy: cache.url.appending(path: "t.json"), logger: cache.logger)
    for address in ["http://127.0.0.1:9/species.json", "file:///does/not/exist.json"] {
      await source.refresh(from: try #require(URL(string: address)))
      #expect(await source.isOffline)
      #expect(await source.taxonomy == .bundled)
    }
    #expect(cache.log.all == Array(repeating: "notice: species list not refreshed", count: 2))
  }

  @Test func anOlderOrDamagedListChangesNothing() async throws {
    let cache = try TestCache()
    let (copy, file) = (cache.url.appending(path: "t.json"), cache.url.appending(path: "o.json"))
    try Data("garbage".utf8).write(to: copy)
    let source = TaxonomySource(copy: copy, logger: cache.logger)
    #expect(await source.taxonomy == .bundled)
    try Data(newer.replacing("\"version\":2", with: "\"version\":0").utf8).write(to: file)
    await source.refresh(from: file)
    #expect(await source.taxonomy == .bundled)
    #expect(await !source.isOffline)
  }

  /// A pipe, a folder and an endless device are not lists, and reading them doesn't block.
  @Test func onlyARegularFileIsRead() async throws {
    let cache = try TestCache()
    let pipe = cache.url.appending(path: "pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    for path in [pipe.path, "/dev/zero", "/"] {
      let source = TaxonomySource(
        copy: cache.url.appending(path: "t.json"), address: URL(filePath: path),
        logger: cache.logger)
      await source.refresh()
      #expect(await source.isOffline, "\(path)")
    }
  }

  /// A server that accepts a connection but sends nothing is abandoned after the timeout.
  @Test func aSilentServerIsGivenUp() async throws {
    let cache = try TestCache()
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #expect(bind(listener, $0, size) == 0 && listen(listener, 4) == 0)
        getsockname(listener, $0, &size)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    let source = TaxonomySource(
      copy: cache.url.appending(path: "t.json"),
      address: URL(string: "http://127.0.0.1:\(port)/species.json"),
      timeout: .milliseconds(300), logger: cache.logger)
    // This would never return without the timeout.
    await source.refresh()
    #expect(await source.isOffline)
  }

  /// The step uses the list on this machine, its banner reports that it is offline, and a retry loads the new list
  /// (seed 021, FR-014).
  @MainActor @Test func theStepSaysThatItIsOfflineAndRetries() async throws {
    let cache = try TestCache()
    let file = cache.url.appending(path: "newest.json")
    var environment = try FlowEnvironment.test(cache: cache)
    environment.taxonomy = TaxonomySource(
      copy: cache.url.appending(path: "t.json"), address: file, logger: cache.logger)
    let model = AnimalDescriptionViewModel(
      flowState: try cache.flow(), environment: environment, language: .en)
    await model.refreshTaxonomy()
    #expect(model.speciesDropdownModel.banner == "Using offline list")
    #expect(model.taxonomyRetryTitle == "Refresh the list")
    #expect(model.taxonomy == .bundled)
    try Data(newer.utf8).write(to: file)
    await model.refreshTaxonomy()
    #expect(model.speciesDropdownModel.banner == nil && model.taxonomyRetryTitle == nil)
    #expect(model.taxonomy.option(id: "ferret") != nil)
  }
}
