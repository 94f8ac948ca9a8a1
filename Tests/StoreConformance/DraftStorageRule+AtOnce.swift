import Foundation
import ReportFlow

extension DraftStorageRule {
  static let writingAtOnce = [
    Self("Of sixteen who write over one revision at once exactly one succeeds") { place, found in
      let (drafts, others) = (try place.open(), try (0..<4).map { _ in try place.open() })
      var revision: Int64?
      for round in 0..<6 {
        let before = revision
        let answers = try atOnce(16) { thread in
          try others[thread % 4].write("\(thread)", of: "a", over: before, at: moment(0))
        }
        let winners = answers.enumerated().filter { $0.element != nil }
        found.equal(winners.count, 1, "round \(round)")
        let record = try found.require(try drafts.draft("a"))
        found.equal(record.revision, winners.first?.element)
        found.equal(record.content, winners.first.map { "\($0.offset)" })
        revision = record.revision
      }
    },
    Self("Sixteen who count together, each on what the others wrote, lose no count") {
      place, found in
      let others = try (0..<4).map { _ in try place.open() }
      let (threads, counts) = (16, 4)
      _ = try atOnce(threads) { thread in
        for _ in 0..<counts {
          while true {
            let record = try others[thread % 4].draft("a")
            let next = (record.flatMap { Int($0.content) } ?? 0) + 1
            let written = try others[thread % 4].write(
              "\(next)", of: "a", over: record?.revision, at: moment(0))
            if written != nil { break }
          }
        }
      }
      found.equal(try place.open().draft("a")?.content, "\(threads * counts)")
    },
    Self("Drafts that are written and deleted at once do not touch each other") { place, found in
      let others = try (0..<4).map { _ in try place.open() }
      let wrote = try atOnce(16) { thread in
        let (drafts, id) = (others[thread % 4], "draft \(thread)")
        let first = try drafts.write("1", of: id, over: nil, at: moment(0))
        let second = try drafts.write("2", of: id, over: first, at: moment(0))
        if thread % 2 == 0 { try drafts.delete(id) }
        return first != nil && second != nil
      }
      found.expect(wrote.allSatisfy { $0 })
      let left = try place.open().ids(untouchedSince: nil)
      found.equal(left, (0..<16).filter { $0 % 2 == 1 }.map { "draft \($0)" }.sorted())
    },
  ]
}
