import Announcements
import Foundation
import PetSpotStores
import PhotoAttachments
import ReportFlow
import SystemPackage
import PhotoIngestion

/// Why a report's command failed, in the reporter's language.
package struct ReportFailure: Error {
  /// A stable word for programs.
  var code: String
  /// One line for people.
  var message: String
  var exitCode: Int32
  /// Facts beside code and message.
  var facts: [JSON.Member] = []
  /// What the answer says beside the error, such as the step.
  var context: [JSON.Member] = []

  package init(code: String, message: String, exitCode: Int32) {
    self.init(code: code, message: message, exitCode: exitCode, facts: [:])
  }

  init(code: String, message: String, exitCode: Int32, facts: KeyValuePairs<String, JSON>) {
    (self.code, self.message, self.exitCode) = (code, message, exitCode)
    self.facts = facts.map { JSON.Member(key: $0.key, value: $0.value) }
  }

  /// Tells people on standard error, programs on standard output, and returns the exit code.
  func report(json: Bool) -> Int32 {
    if json {
      let error = [("code", code), ("message", message)].map {
        JSON.Member(key: $0.0, value: .string($0.1))
      }
      let answer = JSON.object(context + [.init(key: "error", value: .object(error + facts))])
      try? Output.line(answer.line)
    }
    Output.note("petspot: " + ReadableText.escaped(message))
    return exitCode
  }

  /// What `error` means in `words`; nil for errors that are none of the report's.
  init?(_ error: any Error, in words: Words, about path: FilePath? = nil) {
    switch error {
    case let failure as ReportFailure: self = failure
    case let failure as Failure: self.init(failure.error, in: words, about: failure.path ?? path)
    case let error as StoreError:
      // What is about a store or a folder names it.
      var message = error.sentence(about: path)
      if error.blame != .us {
        message = (path.map { DisplayText.path($0) + ": " } ?? "") + error.message(in: words)
      }
      self.init(code: error.code, message: message, exitCode: error.facts.exitCode)
      facts = error.facts.members
      if let path {
        facts.insert(.init(key: "path", value: .string(DisplayText.verbatim(path))), at: 0)
      }
    case let error as PhotoError: self.init(StoreError(error), in: words, about: path)
    case let error as AnnouncementError:
      let known = error.facts
      self.init(
        code: known.code, message: error.message(in: words, now: Date()), exitCode: known.exitCode)
      facts = known.members
    case let error as OtherRelease:
      self.init(
        code: OtherRelease.code, message: error.message(in: words), exitCode: 69,
        facts: [
          "builtFor": .string(error.builtFor), "system": .string(error.system),
          "package": .string(error.package),
        ])
    case SubmissionError.incomplete(let steps):
      let names = steps.map { words($0.title) }.joined(separator: ", ")
      self.init(
        code: "incomplete", message: words("submit.incomplete", ["steps": names]), exitCode: 65,
        facts: ["steps": .strings(steps.map(\.rawValue))])
    case SubmissionError.changedMeanwhile:
      self.init(
        code: "changed-meanwhile", message: words("failure.changedMeanwhile"), exitCode: 75)
    default: return nil
    }
  }
}
