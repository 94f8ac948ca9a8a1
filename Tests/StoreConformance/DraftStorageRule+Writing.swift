import Foundation
import PhotoAttachments
import ReportFlow

extension DraftStorageRule {
  static let reading = [
    Self("What was written is read, whatever it says and by whoever opens the place") {
      place, found in
      let drafts = try place.open()
      let texts = [
        "default": "{}", "": "", "Łatek": "nie JSON: ążźć 🐕", "a'b\"c%": #"{"id":"\u0000"}"#,
        "long": String(repeating: "długi ", count: 50_000),
      ]
      for (id, text) in texts {
        found.equal(try drafts.draft(id), nil)
        let revision = try found.require(try drafts.write(text, of: id, over: nil, at: moment(0)))
        let record = DraftRecord(content: text, revision: revision)
        found.equal(try drafts.draft(id), record)
        found.equal(try place.open().draft(id), record)
      }
      for (id, text) in texts { found.equal(try drafts.draft(id)?.content, text) }
    },
    Self("Submitted is what the draft's text says, in every form, and nothing else is") {
      place, found in
      let drafts = try place.open()
      found.expect(try !drafts.isSubmitted("default"))
      for (text, isSubmitted) in [
        (#"{"submission":{"isComplete":true}}"#, true),
        (#"{"version":99,"shape":[1],"submission":{"isComplete":true,"more":{}}}"#, true),
        (#"{"submission":{"isComplete":false,"announcementID":"x"}}"#, false),
        (#"{"submission":{}}"#, false), (#"{"isComplete":true}"#, false), ("{}", false),
        (#"[{"submission":{"isComplete":true}}]"#, false),
        (#"{"submission":{"isComplete":true}"#, false), ("", false),
      ] {
        let revision = try drafts.draft("default")?.revision
        found.expect(try drafts.write(text, of: "default", over: revision, at: moment(0)) != nil)
        found.equal(try drafts.isSubmitted("default"), isSubmitted, "\(text)")
        found.equal(try place.open().isSubmitted("default"), isSubmitted, "\(text)")
        found.expect(try !drafts.isSubmitted("other"))
      }
      let whole = #"{"submission":{"isComplete":true}}"#
      _ = try drafts.write(whole, of: "gone", over: nil, at: moment(0))
      try drafts.delete("gone")
      found.expect(try !drafts.isSubmitted("gone"))
    },
  ]

  static let writing = [
    Self("A write over another writing than the last one is refused and changes nothing") {
      place, found in
      let (drafts, other) = (try place.open(), try place.open())
      found.equal(try drafts.write("0", of: "a", over: 1, at: moment(0)), nil)
      found.equal(try drafts.draft("a"), nil)
      let first = try found.require(try drafts.write("1", of: "a", over: nil, at: moment(0)))
      let second = try found.require(try other.write("2", of: "a", over: first, at: moment(1)))
      found.equal(try drafts.write("3", of: "a", over: first, at: moment(9)), nil)
      found.equal(try drafts.write("3", of: "a", over: nil, at: moment(9)), nil)
      found.equal(try drafts.write("3", of: "b", over: second, at: moment(9)), nil)
      found.equal(try drafts.draft("a"), DraftRecord(content: "2", revision: second))
      found.equal(try drafts.draft("b"), nil)
      found.equal(try drafts.ids(untouchedSince: moment(2)), ["a"])
    },
    Self("A draft that was deleted and made anew is another one") { place, found in
      let (drafts, other) = (try place.open(), try place.open())
      let first = try found.require(try drafts.write("1", of: "a", over: nil, at: moment(0)))
      try other.delete("a")
      found.equal(try drafts.draft("a"), nil)
      found.equal(try drafts.write("2", of: "a", over: first, at: moment(1)), nil)
      let second = try found.require(try other.write("3", of: "a", over: nil, at: moment(2)))
      found.expect(second != first)
      found.equal(try drafts.write("4", of: "a", over: first, at: moment(3)), nil)
      found.equal(try drafts.draft("a"), DraftRecord(content: "3", revision: second))
    },
    Self("An id with a zero byte in it is nobody's, and not the one before the byte") {
      place, found in
      let drafts = try place.open()
      let text = #"{"submission":{"isComplete":true}}"#
      let revision = try found.require(try drafts.write(text, of: "a", over: nil, at: moment(0)))
      for id in ["a\0", "a\0b", "\0"] {
        for over in [nil, revision] {
          found.fails("writing \(over ?? 0)", with: .fault(.draftID)) {
            try drafts.write("2", of: id, over: over, at: moment(1))
          }
        }
        found.equal(try drafts.draft(id), nil)
        found.expect(try !drafts.isSubmitted(id), "submitted")
        try drafts.delete(id)
      }
      found.equal(try drafts.draft("a"), DraftRecord(content: text, revision: revision))
      found.equal(try drafts.ids(untouchedSince: nil), ["a"])
    },
    Self("Deleting touches one draft, and deleting none is no error") { place, found in
      let drafts = try place.open()
      for id in ["a", "aa", "A", "%"] {
        found.expect(try drafts.write(id, of: id, over: nil, at: moment(0)) != nil)
      }
      for id in ["a", "a", "none", "%"] { try drafts.delete(id) }
      found.equal(try drafts.ids(untouchedSince: nil), ["A", "aa"])
      found.equal(try drafts.draft("aa")?.content, "aa")
    },
    Self("The secret has 32 bytes and is the same for all who open the store") { place, found in
      let secret = try place.open().secret()
      found.equal(secret.count, 32)
      found.expect(Set(secret).count > 16, "no chance in it")
      found.equal(try place.open().secret(), secret)
      found.equal(try place.open().secret(), secret)
    },
    Self("Revisions never repeat, not even of drafts that were deleted") { place, found in
      let drafts = try place.open()
      var (revisions, last) = (Set<Int64>(), Int64?.none)
      for round in 0..<60 {
        let next = try drafts.write("\(round)", of: "a", over: last, at: moment(0))
        found.expect(revisions.insert(try found.require(next)).inserted)
        last = next
        if round % 7 == 0 {
          try drafts.delete("a")
          last = nil
        }
      }
    },
  ]
}
