import PhotoModel
import TestStores
import PhotoUploads
import Testing

@testable import PetSpotServer

@Suite struct ErrorStatusTests {
  @Test func errorsArticleHasTheStatusesOfEveryCode() throws {
    let samples = Dictionary(grouping: StoreError.samples, by: \.code)
    #expect(try ErrorsArticle.statuses() == samples.mapValues { Set($0.map(\.status)) })
  }
}
