import Announcements
import Foundation
import ReportFlow
import TestPictures

extension AnnouncementRule {
  /// Searches by other forms of words (decision 88).
  static let words = [
    Self("A search knows names of species, case endings and the breeds of both languages") {
      place, found in
      try await publish(animals, at: place)
      func names(_ text: String) async throws -> String {
        try await place.open().announcements(
          matching: .init(filter: AnnouncementFilter(text: text, speciesID: nil))
        ).map(\.petName).sorted().joined(separator: " ")
      }
      for text in ["koty", "kotki", "kociak", "kitten", "cats", "KOTEK", "lost cats"] {
        found.equal(try await names(text), "Fela Filemon Kora Mruczek")
      }
      for text in ["piesek", "psy", "dogs", "puppy", "psa"] {
        found.equal(try await names(text), "Bela Burek")
      }
      for (text, expected) in [
        ("na Mokotowie", "Fela"), ("Ochocie", "Kora"), ("Ochota", "Kora"), ("Kabaty", "Filemon"),
        ("Puławskiej", "Burek"), ("szarego", "Kora"), ("rudy", "Fela"), ("mops", "Bela"),
        ("siamese", "Kora"), ("shorthair", "Fela Mruczek"), ("Pradze", "Bela"),
        ("kot na Pradze", ""),
        ("suczka na Puławskiej", "Burek"),
      ] {
        found.equal(try await names(text), expected)
      }
    },
    Self(
      "A name of a sex lists that sex first, then the others, page by page, and no misspelled words"
    ) {
      place, found in
      try await publish(animals, at: place)
      let store = try place.open()
      func pages(_ text: String, _ sort: AnnouncementListQuery.SortOption, _ limit: Int?)
        async throws
        -> [String]
      {
        let query = AnnouncementListQuery(
          sortBy: sort, location: Coordinate(latitude: 52, longitude: 21),
          filter: AnnouncementFilter(text: text, speciesID: nil))
        var (names, after) = ([String](), AnnouncementCursor?.none)
        repeat {
          let page = try await store.list(matching: query.part(limit: limit, after: after))
          names += page.announcements.map(\.petName)
          after = page.next.flatMap { AnnouncementCursor($0.description) }
        } while after != nil && names.count < 20
        return names
      }
      for limit in [nil, 1, 2, 3, 9] {
        for sort in AnnouncementListQuery.SortOption.allCases {
          let oldest = sort == .createdAtAscending
          let females = oldest ? ["Fela", "Kora"] : ["Kora", "Fela"]
          let males = oldest ? ["Mruczek", "Filemon"] : ["Filemon", "Mruczek"]
          found.equal(try await pages("kotka", sort, limit), females + males)
          found.equal(try await pages("kocur", sort, limit), males + females)
        }
      }
      found.equal(try await pages("suka", .createdAtDescending, nil), ["Bela", "Burek"])
      found.equal(try await pages("kotka Wola", .createdAtDescending, 1), ["Mruczek"])
    },
  ]

  private static let animals = [
    animal("Mruczek", "cat", "British Shorthair", .male, near: "Wola", "krótka sierść"),
    animal("Fela", "cat", "Dachowiec", .female, near: "Mokotów", "ruda, lubi ludzi"),
    animal("Kora", "cat", "Syjamski", .female, near: "Ochota", "Szary pyszczek"),
    animal("Filemon", "cat", "mieszaniec", .male, near: "Na Kabatach", nil),
    animal("Burek", "dog", "Kundelek", .male, near: "ul. Puławska", nil),
    animal("Bela", "dog", "Pug", .female, near: "Praga", nil),
  ]

  private static func animal(
    _ name: String, _ species: String, _ breed: String, _ sex: Gender, near: String, _ text: String?
  ) -> NewAnnouncement {
    var new = report(name)
    (new.species, new.breed, new.sex, new.description) = (species, breed, sex, text)
    new.texts[.near] = near
    return new
  }

  private static func publish(_ animals: [NewAnnouncement], at place: AnnouncementPlace)
    async throws
  {
    for animal in animals {
      try await place.publish(animal)
      place.wait(1)
    }
  }
}
