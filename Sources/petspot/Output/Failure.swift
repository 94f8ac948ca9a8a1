import Announcements
import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// The reason why a command failed.
package struct Failure: Error {
  /// A stable code for programs.
  var code: String
  /// One line for people.
  var message: String
  var exitCode: Int32
  /// Additional facts for programs.
  var facts: [JSON.Member] = []
  /// Fields of the JSON output outside of the error, such as the step.
  var context: JSON = [:]
  /// The underlying error of the store and the path it concerns. `nil` if the message is for the author of a report.
  private var origin: (error: StoreError, path: FilePath?)?

  package init(code: String, message: String, exitCode: Int32) {
    self.init(code: code, message: message, exitCode: exitCode, facts: [:])
  }

  init(code: String, message: String, exitCode: Int32, facts: JSON.Members) {
    self.code = code
    self.message = message
    self.exitCode = exitCode
    self.facts = facts.map { JSON.Member($0, $1) }
  }

  init(_ error: StoreError, about path: FilePath? = nil) {
    self.init(
      code: error.code, message: error.sentence(about: path), exitCode: error.exitCode)
    facts = error.facts.members
    if let path {
      facts.insert(.init("path", DisplayText.verbatim(path)), at: 0)
    }
    origin = (error, path)
  }

  /// Creates the failure that is shown to the author of a report. `nil` for errors that don't belong to a report.
  init?(reporting error: any Error, about path: FilePath? = nil) {
    switch error {
    case let failure as Failure:
      guard let (error, own) = failure.origin else {
        self = failure
        return
      }
      self.init(reporting: error, about: own ?? path)
    case let error as StoreError:
      self.init(error, about: path)
      // An error of a store or a folder needs its path in the message.
      if error.blame != .us {
        message = (path.map { DisplayText.path($0) + ": " } ?? "") + error.message(in: L10n.words)
      }
      origin = nil
    case let error as PhotoError: self.init(reporting: StoreError(error), about: path)
    case let error as AnnouncementError:
      let known = error.facts
      self.init(
        code: known.code, message: error.message(in: L10n.words, now: Date()),
        exitCode: error.exitCode)
      facts = known.members
    case SubmissionError.incomplete(let steps):
      let names = steps.map { L10n.words($0.title) }.joined(separator: ", ")
      self.init(
        code: "incomplete", message: L10n.words("submit.incomplete", ["steps": names]),
        exitCode: 65, facts: ["steps": steps.map(\.rawValue)])
    case SubmissionError.changedMeanwhile:
      self.init(
        code: "changed-meanwhile", message: L10n.words("failure.changedMeanwhile"), exitCode: 75)
    default: return nil
    }
  }

  /// Creates the failure for a program that was built for a different system release.
  init(_ problem: OtherRelease) {
    self.init(
      code: OtherRelease.code, message: problem.message(in: L10n.words), exitCode: 69,
      facts: ["builtFor": problem.builtFor, "system": problem.system, "package": problem.package])
  }

  /// Creates the failure for a picture that nothing refers to but that could not be deleted.
  init(_ kept: PhotoAttachmentCache.NotDeleted) {
    let reason = kept.error.systemErrno.map { L10n.words.reason($0) } ?? "\(kept.error)"
    self.init(
      code: kept.error.facts.code,
      message: L10n.words(
        "command.error.pictureKept", ["file": kept.place.relativePath, "reason": reason]),
      exitCode: 74)
  }

  /// The failure if the report's text is already published.
  static var submitted: Failure {
    Failure(code: "submitted", message: L10n.words("flow.submitted"), exitCode: 65)
  }

  /// The JSON output.
  var json: JSON {
    let error: JSON = ["code": code, "message": message]
    return context.adding(["error": error.adding(facts)])
  }

  /// Prints the message to standard error, and the JSON to standard output with `json`. Returns the exit code.
  @discardableResult
  func report(json: Bool) -> Int32 {
    if json { try? Output.line(self.json.line) }
    Output.printNote("petspot: " + ReadableText.escaped(message))
    return exitCode
  }
}

extension ErrorFacts {
  /// The details as JSON.
  var members: [JSON.Member] { details.map { JSON.Member($0, $1) } }
}

extension ErrorFacts.Detail: JSONConvertible {
  var json: JSON {
    switch plain {
    case .text(let text): .string(text)
    case .texts(let texts): texts.json
    case .number(let number): .int(number)
    default: .null
    }
  }
}

/// Runs `body` and converts its error into a failure about `path`.
func about<T>(_ path: FilePath?, _ body: () throws(StoreError) -> T) throws(Failure) -> T {
  do { return try body() } catch { throw Failure(error, about: path) }
}

/// Runs asynchronous work and converts its error into a failure about `path`.
func about<T>(
  _ path: FilePath?, _ body: () async throws(StoreError) -> T
) async throws(Failure) -> T {
  do { return try await body() } catch { throw Failure(error, about: path) }
}
