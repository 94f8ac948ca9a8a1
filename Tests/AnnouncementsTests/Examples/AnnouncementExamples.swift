import Announcements
import Foundation
import Testing

/// The code of the module's front page, which `HouseTests` compares.
@Suite("The front page's code runs")
struct AnnouncementExamples {
  @Test("A report by the rules")
  func report() throws {
    let day = try #require(CalendarDay(year: 2025, month: 11, day: 20))
    var report = NewAnnouncement(
      species: "dog", breed: "Labrador", sex: .male,
      dateOfDisappearance: day, ownerName: "John Doe",
      ownerPhone: "+48 123 456 789")
    report.location = Coordinate(latitude: 52.2297, longitude: 21.0122)
    print(report.invalidFields(now: Date()))
    #expect(report.location != nil && report.invalidFields(now: Date()).isEmpty)
  }
}
