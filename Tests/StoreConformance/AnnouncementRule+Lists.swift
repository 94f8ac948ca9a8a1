import Announcements
import Foundation
import ReportFlow
import TestPictures

extension AnnouncementRule {
  static let lists = [
    Self("Lists come in the order and of the length that was asked for") { place, found in
      for name in ["a", "b", "c", "d", "e", "f", "g"] {
        try await place.publish(report(name))
        place.wait(1)
      }
      _ = try await place.open().create(
        report("hidden"), idempotencyKey: UUID(), managementPassword: "p")
      func names(_ query: AnnouncementListQuery) async throws -> String {
        try await place.open().announcements(matching: query).map(\.petName).joined()
      }
      found.equal(try await names(.landingPageQuery(location: nil)), "gfedc")
      found.equal(try await names(.defaultQuery(location: nil)), "gfedcba")
      found.equal(try await names(.init(limit: 2, sortBy: .createdAtAscending)), "ab")
      found.equal(try await names(.init(limit: 0)), "")
      found.equal(try await names(.init(limit: 99, sortBy: .createdAtAscending)), "abcdefg")
      // The list skips a row that breaks a rule, and fills its place with another.
      try place.ways.change(
        "UPDATE announcement SET contact_phone = 'call me' WHERE pet_name = 'g'")
      try place.ways.change(
        "UPDATE announcement SET latitude = 91, longitude = 21 WHERE pet_name = 'f'")
      found.equal(try await names(.landingPageQuery(location: nil)), "edcba")
    },
    Self("A list in parts is the list, in every order, searched or not") { place, found in
      var dice = SeededGenerator(state: 3)
      for number in 0..<40 {
        let spot = try point(
          .random(in: -80...80, using: &dice), .random(in: -180...180, using: &dice))
        var new = report("\(number)", at: number % 5 == 0 ? nil : spot)
        new.description = number % 3 == 0 ? "Żółta obroża" : "None"
        try await place.publish(new)
        if number % 4 == 0 { place.wait(1) }
      }
      let store = try place.open()
      let reader = try point(52, 21)
      for filter in [nil, AnnouncementFilter(text: "zolt", speciesID: nil)] {
        for sort in AnnouncementListQuery.SortOption.allCases {
          for range in [nil, 8000.0] {
            let whole = AnnouncementListQuery(
              sortBy: sort, location: reader, range: range, filter: filter)
            let all = try await store.announcements(matching: whole).map(\.id)
            var (ids, after) = ([String](), AnnouncementCursor?.none)
            repeat {
              let part = try await store.list(matching: whole.part(limit: 7, after: after))
              found.expect(!part.isIncomplete && part.announcements.count <= 7)
              ids += part.announcements.map(\.id)
              after = part.next.flatMap { AnnouncementCursor($0.description) }
            } while after != nil && ids.count <= 40
            found.equal(ids, all)
          }
        }
      }
      // Both words are common, but they never occur in the same announcement.
      let none = AnnouncementListQuery(
        limit: 5, filter: AnnouncementFilter(text: "obroza none", speciesID: nil))
      found.equal(try await store.list(matching: none).isIncomplete, false)
      let cut = try await store.list(matching: none, budget: 30)
      found.expect(cut.isIncomplete && cut.next != nil && cut.lookedAt <= 30)
      // A search doesn't match the middle of a word, but it matches the species in every language.
      for (text, count) in [("roza", 0), ("pies obroza", 14), ("DOG", 40)] {
        let list = try await store.announcements(
          matching: .init(filter: AnnouncementFilter(text: text, speciesID: nil)))
        found.equal(list.count, count)
      }
    },
    Self("Of equal age, the later made are the newer") { place, found in
      var made: [String] = []
      for _ in 0..<6 { made.append(try await place.publish(report()).id) }
      let store = try place.open()
      let newest = try await store.announcements(matching: .init())
      found.equal(newest.map(\.id), made.reversed())
      let oldest = try await store.announcements(matching: .init(sortBy: .createdAtAscending))
      found.equal(oldest.map(\.id), made)
    },
    Self("The nearest come first as a look at all would give them, those without a place last") {
      place, found in
      var places = [(90.0, 0.0), (-90, 10), (0, 180), (0, -180), (0, 0)]
      var dice = SeededGenerator(state: 7)
      for _ in 0..<10 {
        places.append(
          (.random(in: -90...90, using: &dice), .random(in: -180...180, using: &dice)))
        places.append((.random(in: 52...53, using: &dice), .random(in: 20...21, using: &dice)))
      }
      let points = try places.map { try point($0.0, $0.1) }
      try await place.publish(report("none"))
      for (number, point) in points.enumerated() {
        try await place.publish(report("\(number)", at: point))
      }
      let store = try place.open()
      for reader in [try point(52.5, 20.5), try point(0, 179), try point(-80, 3)] {
        for range in [nil, 30, 3000.0] {
          for limit in [nil, 7] {
            let list = try await store.announcements(
              matching: .init(
                limit: limit, sortBy: .distanceFromUser, location: reader, range: range))
            let expected = points.map { reader.distance(to: $0) }.sorted()
              .filter { $0 <= range ?? .infinity }.prefix(limit ?? .max)
            found.equal(list.compactMap { $0.distance(from: reader) }, Array(expected))
            found.equal(list.contains { $0.petName == "none" }, limit == nil && range == nil)
          }
          // Sorts by age within a range, and by distance everywhere.
          let newest = try await store.announcements(
            matching: .init(location: reader, range: range))
          let near = points.indices.filter { reader.distance(to: points[$0]) <= range ?? .infinity }
          found.equal(
            newest.filter { $0.petName != "none" }.map(\.petName), near.reversed().map { "\($0)" })
        }
      }
      await found.refuses(.locationRequired) {
        try await store.announcements(matching: .init(sortBy: .distanceFromUser))
      }
    },
    Self("A search finds words in any case and order, newest or nearest first") { place, found in
      let points = try [point(52, 21), point(53, 21), point(54, 21)]
      for (number, name) in ["ŻÓŁW Ala", "żółwik", "Zolw Ola"].enumerated() {
        try await place.publish(report(name, at: points[number]))
        place.wait(1)
      }
      try await place.publish(report("Żółw"))
      try await place.publish(report("Rex 100%_", at: points[0]))
      func names(
        _ text: String, _ species: String? = nil, near: Coordinate? = nil, limit: Int? = nil
      ) async throws -> [String] {
        try await place.open().announcements(
          matching: .init(
            limit: limit, sortBy: near == nil ? .createdAtDescending : .distanceFromUser,
            location: near, filter: .init(text: text, speciesID: species))
        ).map(\.petName)
      }
      found.equal(try await names("żółw"), ["Żółw", "Zolw Ola", "żółwik", "ŻÓŁW Ala"])
      found.equal(try await names("ZOLW", limit: 2), ["Żółw", "Zolw Ola"])
      found.equal(
        try await names("zolw", near: points[2]), ["Zolw Ola", "żółwik", "ŻÓŁW Ala", "Żółw"])
      found.equal(try await names("zolw", near: points[2], limit: 2), ["Zolw Ola", "żółwik"])
      found.equal(try await names("ala laciaty"), ["ŻÓŁW Ala"])
      found.equal(try await names("ala nothing"), [])
      // Characters other than letters and digits separate words, and aren't wildcards.
      for text in ["100%", "%_100", "re_100"] { found.equal(try await names(text), ["Rex 100%_"]) }
      for text in ["r%x", "1_0"] { found.equal(try await names(text), []) }
      found.equal(try await names("%_").count, 5)
      found.equal(try await names("", "dog").count, 5)
      found.equal(try await names("zolw", "cat"), [])
    },
    Self("One letter may be wrong, missing, extra or swapped in words of five or more") {
      place, found in
      var reksio = report("Reksio", at: try point(52, 21))
      reksio.description = "Zielona obroża"
      try await place.publish(reksio)
      try await place.publish(report("Burek"))
      let store = try place.open()
      func finds(_ text: String) async throws -> Bool {
        let list = try await store.list(
          matching: .init(limit: 9, filter: AnnouncementFilter(text: text, speciesID: nil)))
        return list.announcements.map(\.petName) == ["Reksio"] && list.lookedAt < 20
      }
      for text in [
        "reksio", "Reks", "reksjo", "reksoi", "rekso", "rekssio", "eksio", "areksio", "leksio",
        "reksiot", "zielnoa", "obrozy", "ZIELONĄ reksjo",
      ] {
        found.expect(try await finds(text), text)
      }
      for text in ["rekx", "reksiooo", "reqsjo", "breksiox", "ksio", "reksjo burek"] {
        found.expect(try await !finds(text), text)
      }
    },
    Self("Ids are found by their beginning, in the order of their letters, closed ones too") {
      place, found in
      let store = try place.open()
      var ids: [String] = []
      for _ in 0..<6 { ids.append(try await place.publish(report()).id) }
      ids.sort()
      _ = try await store.close(id: ids[2], managementPassword: "p", client: nil)
      found.equal(try await store.ids(beginning: "", limit: 9), ids)
      found.equal(try await store.ids(beginning: "", limit: 3), Array(ids.prefix(3)))
      for id in ids {
        for length in [1, 2, id.count] {
          let alike = ids.filter { $0.hasPrefix(id.prefix(length)) }
          found.equal(
            try await store.ids(beginning: String(id.prefix(length)), limit: 9), alike)
        }
        found.equal(try await store.ids(beginning: id + "0", limit: 9), [])
      }
      for other in ["%", "_", "~", "\\", "'"] {
        found.equal(try await store.ids(beginning: other, limit: 9), [])
      }
    },
  ]
}
