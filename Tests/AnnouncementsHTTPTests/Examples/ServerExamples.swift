import AnnouncementsHTTP
import Logging
import Testing

/// The code of the module's front page, which `HouseTests` compares.
@Suite("The front page's code runs")
struct ServerExamples {
  @Test("A repository of a server")
  func repository() {
    guard let address = ServerAddress("https://pets.example.org") else {
      fatalError("not the address of a server")
    }
    let repository = HTTPAnnouncementRepository(
      address, logger: Logger(label: "petspot"))
    print(address)
    _ = repository
  }
}
