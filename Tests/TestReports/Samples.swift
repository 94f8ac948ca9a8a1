package import Announcements
package import Foundation
package import PhotoIngestion
package import ReportFlow
import SystemPackage
import TestPictures

/// Returns a file of `TestImages` as a source.
package func testImage(_ name: String) -> PhotoSource {
  .file(FilePath(TestImage.folder.appending(path: name).path))
}

package func day(_ text: String) -> CalendarDay { CalendarDay(text)! }
package func instant(_ text: String) -> Date { ISO8601DateFormatter().date(from: text)! }
package func point(_ latitude: Double, _ longitude: Double) -> Coordinate {
  Coordinate(latitude: latitude, longitude: longitude)!
}

package let dog = SpeciesTaxonomy.bundled.option(id: "dog")!
package let cat = SpeciesTaxonomy.bundled.option(id: "cat")!
package let english = Words(.en)
package let polish = Words(.pl)

/// Returns a report of a lost dog, as a reporter fills it in.
package func report(
  _ name: String = "Max", at place: Coordinate? = nil, on date: String = "2025-11-20"
) -> NewAnnouncement {
  var report = NewAnnouncement(
    species: "dog", breed: "Labrador", sex: .male, dateOfDisappearance: day(date),
    ownerName: "John Doe", ownerPhone: "+48 123 456 789")
  (report.petName, report.location) = (name, place)
  return report
}
