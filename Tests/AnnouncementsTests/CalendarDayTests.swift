import Announcements
import Foundation
import Testing

@Suite struct CalendarDayTests {
  @Test(arguments: [
    "2025-11-20", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2025-12-31",
  ])
  func writtenDaysAreReadBack(_ text: String) throws {
    let day = try #require(CalendarDay(text))
    #expect(day.description == text)
    let data = try JSONEncoder().encode([day])
    #expect(String(decoding: data, as: UTF8.self) == "[\"\(text)\"]")
    #expect(try JSONDecoder().decode([CalendarDay].self, from: data) == [day])
  }

  @Test(arguments: [
    "", "2025/11/19", "2025-02-30", "2023-02-29", "1900-02-29", "2025-13-01", "2025-00-10",
    "2025-1-1", "25-01-01", "2025-01-01T00:00:00Z", "2025-04-31", "+025-01-01", "２０２５-01-01",
    "0000-01-01", "2025-01-1a",
  ])
  func otherTextIsNoDay(_ text: String) {
    #expect(CalendarDay(text) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([CalendarDay].self, from: Data("[\"\(text)\"]".utf8))
    }
  }

  /// A day is the local date at the place, on both sides of its midnight.
  @Test(arguments: [
    ("Europe/Warsaw", "2025-11-20T22:59:59Z", "2025-11-20"),
    ("Europe/Warsaw", "2025-11-20T23:00:00Z", "2025-11-21"),
    ("Europe/Warsaw", "2025-07-01T22:00:00Z", "2025-07-02"),
    ("Pacific/Honolulu", "2025-11-21T09:59:59Z", "2025-11-20"),
    ("Pacific/Honolulu", "2025-11-21T10:00:00Z", "2025-11-21"),
    ("Pacific/Auckland", "2025-11-20T10:59:59Z", "2025-11-20"),
    ("Pacific/Auckland", "2025-11-20T11:00:00Z", "2025-11-21"),
    ("Pacific/Auckland", "2025-07-01T12:00:00Z", "2025-07-02"),
  ])
  func dayOfAnInstant(zone: String, instant: String, day: String) throws {
    let zone = try #require(TimeZone(identifier: zone))
    let instant = try Date(instant, strategy: .iso8601)
    #expect(CalendarDay(instant, in: zone).description == day)
  }

  @Test func daysAreOrdered() throws {
    let days = try ["2025-12-31", "2026-01-01", "2026-01-02", "2026-02-01"].map {
      try #require(CalendarDay($0))
    }
    #expect(days.reversed().sorted() == days)
  }
}
