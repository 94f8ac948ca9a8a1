public import Foundation
import ImageContainers

extension PhotoError: LocalizedError {
  /// The sentence for a person, in the language of this process's environment.
  public var errorDescription: String? { message(in: .ofEnvironment) }

  /// Returns a sentence for a person with the problem and its remedy. It never contains a path.
  public func message(in language: Language) -> String {
    message(in: .ofPhotos(language), variant: "library")
  }

  /// Returns the sentence in a program with other texts.
  ///
  /// - Parameter variant: a refinement of the text's name, which is used if such a text exists.
  package func message(in words: Words, variant: String? = nil) -> String {
    switch self {
    case .tooManyPixels(let what, let actual, let limit),
      .tooLarge(let what, let actual, let limit):
      tooLarge(what, actual, limit, words)
    default: words.sentence("failure.\(facts.code)", facts, variant: variant)
    }
  }

  private func tooLarge(
    _ what: ContainerLimit, _ actual: Int, _ limit: Int, _ words: Words
  ) -> String {
    func text(_ amount: (Int) -> String) -> String {
      // While a file is still arriving, its size is only known to exceed the limit.
      words(
        amount(actual) == amount(limit) ? "failure.too-large.limit" : "failure.too-large",
        [
          "actual": amount(actual),
          "limit": what == .fileBytes ? words.limit(limit) : amount(limit),
        ])
    }
    switch what {
    case .pixels, .side: return text { words("size.pixels", count: $0) }
    case _ where what.isBytes: return text(words.fileSize)
    // A number of tiles or scans means nothing to a person, and a smaller picture may have as many.
    default: return words("failure.too-large.structure")
    }
  }
}

extension StoreError: LocalizedError {
  /// The sentence for a person, in the language of this process's environment.
  public var errorDescription: String? { message(in: .ofEnvironment) }

  /// Returns a sentence for a person with the problem and its remedy. It never contains a path or an address.
  public func message(in language: Language) -> String {
    message(in: .ofPhotos(language), variant: "library")
  }

  /// Returns the sentence in a program with other texts.
  ///
  /// - Parameter variant: a refinement of the text's name, which is used if such a text exists.
  package func message(in words: Words, variant: String? = nil) -> String {
    switch self {
    case .photo(let error): error.message(in: words, variant: variant)
    case .serviceFailed(_, _, let problem) where problem != .other:
      words.sentence("failure.\(facts.code)", facts, variant: problem.rawValue)
    default: words.sentence("failure.\(facts.code)", facts, variant: variant)
    }
  }
}
