import AnnouncementsHTTP
import Logging
import Testing

/// The code of the module's front page, which `HouseTests` compares.
@Suite("The front page's code runs")
struct ServerExamples {
  @Test("A repository of a server")
  func repository() throws {
    let address = try #require(ServerAddress("https://pets.example.org"))
    let repository = HTTPAnnouncementRepository(
      address, logger: Logger(label: "petspot"))
    print(address)
    _ = repository
  }
}
