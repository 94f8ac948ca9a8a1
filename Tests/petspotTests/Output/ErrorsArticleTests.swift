import PhotoModel
import TestStores
import Testing

@testable import petspot

@Suite struct ErrorsArticleTests {
  @Test func tableHasEveryCodeWithItsBlameAndExitCodes() throws {
    let samples = Dictionary(grouping: StoreError.samples, by: \.code)
    #expect(try ErrorsArticle.exitCodes() == samples.mapValues { Set($0.map { Int($0.exitCode) }) })
    #expect(try ErrorsArticle.blames() == samples.mapValues { Set($0.map(\.blame.rawValue)) })
  }
}
