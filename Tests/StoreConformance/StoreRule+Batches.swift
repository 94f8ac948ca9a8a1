import Foundation
import PhotoAttachments
import PhotoIngestion

extension StoreRule {
  static let batches = [
    Self("What many are asked at once is what each is asked alone") { place, found in
      let stores = try place.open()
      let catalog = stores.catalog
      let known = try (1...3).map { try stores.join($0, path: "/\($0)") }
      var decision = GroupDecision()
      decision.sources = [
        SourceRecord(
          path: Array("/4".utf8), identity: .sample(4), sha256: Stores.digest(4),
          knowledge: .refused(.photo(.empty))),
        SourceRecord(
          path: Array("/2 again".utf8), identity: .sample(5), sha256: Stores.digest(5),
          knowledge: .photo(known[1].uuid, .pixels)),
      ]
      try stores.record(decision)
      try stores.attach(6, to: "a")

      let files = ["/1", "/2", "/3", "/4", "/2 again", "/none", "/moved"].enumerated().map {
        (path: Array($1.utf8), identity: FileIdentity.sample([1, 2, 9, 4, 5, 6, 3][$0]))
      }
      let lookups = try catalog.lookups(of: files)
      found.equal(lookups, try files.map { try catalog.lookups(of: [$0])[0] }, "looks")
      found.equal(
        lookups.map { $0?.isSamePath }, [true, true, nil, true, true, nil, false], "same paths")
      found.equal(try catalog.lookups(of: []), [], "looks at nothing")

      var question = GroupQuery()
      question.digests = Set((1...9).map(Stores.digest))
      question.blobs = Set((1...9).map(Stores.blob))
      question.photos = Set(known.map(\.uuid) + [UUID()])
      question.pictures = Set((1...9).flatMap(Stores.places))
      let knowledge = try catalog.knowledge(of: question)
      found.equal(knowledge, try stores.knowledge(oneByOne: question), "knowledge")
      found.equal(knowledge.sources.count, 5, "digests that are known")
      found.equal(Set(knowledge.blobs.values), Set(known.map(\.uuid)), "blobs that are known")
      found.equal(knowledge.library, Set(known.map(\.uuid)), "library")
      found.equal(Set(knowledge.records.values.map(\.id)), Set(known.map(\.id)), "records")
      found.equal(
        knowledge.referenced, Set([1, 2, 3, 6].flatMap(Stores.places)), "referenced pictures")
      found.equal(try catalog.knowledge(of: GroupQuery()), GroupKnowledge(), "nothing asked")
      for number in 1...9 {
        found.equal(
          try catalog.known(sha256: Stores.digest(number))?.knowledge,
          knowledge.sources[Stores.digest(number)], "what is known of \(number)")
      }
      var recorded: GroupKnowledge?
      _ = try catalog.record(question) {
        recorded = $0
        return GroupDecision()
      } naming: { _ in
      }
      found.equal(recorded, knowledge, "knowledge in `record`")

      let places = (1...9).flatMap(Stores.places)
      found.equal(
        try catalog.selectUnreferenced(places),
        try places.filter { try !catalog.selectUnreferenced([$0]).isEmpty }, "unreferenced")
      found.equal(try catalog.selectUnreferenced([]), [], "unreferenced of nothing")
    },
    Self("Cursors meet every photo that stays once, also while others come and go") {
      place, found in
      let (stores, other) = (try place.open(), try place.open())
      let stay = try (1...7).map { try stores.attach($0, to: "stays \($0)") }
      try stores.join(20)
      var (last, seen, round) = (Int64(0), [SealedRecord](), 0)
      while true {
        let page = try stores.catalog.page(after: last, limit: 3, attachedOnly: true)
        guard let end = page.last else { break }
        (last, seen) = (end.sequence, seen + page)
        round += 1
        if round < 5 { try other.attach(20 + round, to: "comes \(round % 2)") }
        if round > 50 { return found.add("pages without an end") }
      }
      found.equal(Set(seen.map(\.id)).count, seen.count, "photos met once")
      found.equal(seen.filter(stay.contains), stay, "photos that stay, oldest first")
      found.expect(seen.map(\.sequence) == seen.map(\.sequence).sorted(), "not in order")

      (last, seen, round) = (.max, [], 0)
      while true {
        let page = try stores.catalog.newest(3, before: last)
        guard let end = page.last else { break }
        (last, seen) = (end.sequence, seen + page)
        round += 1
        if round < 5 { try other.attach(30 + round, to: "comes \(round % 2)") }
        if round > 50 { return found.add("pages without an end") }
      }
      found.equal(Set(seen.map(\.id)).count, seen.count, "photos met once, newest first")
      found.equal(seen.filter(stay.contains), stay.reversed(), "photos that stay, newest first")
      found.equal(try stores.catalog.newest(0, before: .max), [], "no photo asked for")
      found.equal(try stores.catalog.page(after: 0, limit: 0, attachedOnly: false), [], "none")
      found.equal(
        try stores.photos().count, try stores.photos(attachedOnly: true).count + 1,
        "a photo of the library that nobody attached")
      for photo in stay {
        found.equal(try other.catalog.photo(sequence: photo.sequence), photo, "by its number")
        found.equal(try other.catalog.photo(id: photo.id), photo, "by its id")
      }
    },
  ]
}

extension Stores {
  fileprivate func knowledge(oneByOne question: GroupQuery) throws -> GroupKnowledge {
    var all = GroupKnowledge()
    func ask(_ change: (inout GroupQuery) -> Void) throws {
      var single = GroupQuery()
      change(&single)
      let answer = try catalog.knowledge(of: single)
      all.sources.merge(answer.sources) { $1 }
      all.blobs.merge(answer.blobs) { $1 }
      all.records.merge(answer.records) { $1 }
      all.library.formUnion(answer.library)
      all.referenced.formUnion(answer.referenced)
    }
    for digest in question.digests { try ask { $0.digests = [digest] } }
    for blob in question.blobs { try ask { $0.blobs = [blob] } }
    for photo in question.photos { try ask { $0.photos = [photo] } }
    for picture in question.pictures { try ask { $0.pictures = [picture] } }
    return all
  }
}
