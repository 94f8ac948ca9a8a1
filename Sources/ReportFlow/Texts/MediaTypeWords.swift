/// Media types, and the words for codings inside a container, as a person knows them.
package enum MediaTypeWords {
  /// What a file is, in English with its article: `a TIFF image`. Never a media type itself, which
  /// says nothing to a person.
  package static func noun(for detected: String, in words: Words) -> String {
    if let noun = words.text(named: "media.\(detected)") { return noun }
    let parts = detected.split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return words("media.coding") }
    return words.text(named: "media.\(parts[0])") ?? words("media.other")
  }

  /// Whether a picture was detected, which other programs can save in a format that is taken.
  package static func isPicture(_ detected: String) -> Bool {
    detected.hasPrefix("image/") || !detected.contains("/")
  }
}
