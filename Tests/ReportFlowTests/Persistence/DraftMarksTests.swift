import Foundation
import ReportFlow
import Testing

@Suite struct DraftMarksTests {
  /// The marks that a storage finds in the text equal those of the draft, in each form that was ever stored.
  @Test func marksAreTheDrafts() throws {
    for (id, content) in GoldenDrafts.all {
      let draft = try JSONDecoder().decode(ReportDraft.self, from: Data(content.utf8))
      let written = String(decoding: try JSONEncoder().encode(draft), as: UTF8.self)
      for text in [content, written] {
        let marks = DraftMarks(of: text)
        #expect(marks.submissionKey == draft.submissionKey.uuidString, "\(id)")
        #expect(marks.announcementID == draft.submission?.announcementID, "\(id)")
        #expect(marks.isSubmitted == draft.isSubmitted, "\(id)")
      }
    }
    for text in ["", "[]", "{", #"{"submission":1,"submissionKey":2}"#] {
      let marks = DraftMarks(of: text)
      #expect(marks.submissionKey == nil && marks.announcementID == nil && !marks.isSubmitted)
    }
  }
}
