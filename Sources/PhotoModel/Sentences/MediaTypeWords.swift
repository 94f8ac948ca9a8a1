/// Everyday names for media types and for the codings inside a container.
package enum MediaTypeWords {
  /// Returns the kind of a file for a sentence, in English with its article: `a TIFF image`. Never returns the media
  /// type itself, because it means nothing to most people.
  package static func noun(for detected: String, in words: Words) -> String {
    if let noun = words.text(named: "media.\(detected)") { return noun }
    let parts = detected.split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return words("media.coding") }
    return words.text(named: "media.\(parts[0])") ?? words("media.other")
  }

  /// Returns `true` for a picture, because other programs can convert it to a supported format.
  package static func isPicture(_ detected: String) -> Bool {
    detected.hasPrefix("image/") || !detected.contains("/")
  }
}
