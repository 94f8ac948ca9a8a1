import ImageContainers
package import PhotoAttachments
import PhotoIngestion

extension PhotoAttachmentMetadata {
  /// What was done to the photo, as a reporter should know it: `converted from HEIC to JPEG, location
  /// removed`. That the place was taken out is always told.
  package func changes(in words: Words) -> String {
    let done = facts.normalization
    let reasons = done.reasons.map { reason in
      switch reason {
      case .orientation: words(.photoRotated)
      case .color: words(.photoColorsConverted)
      case .bitDepth: words(.photoBitsReduced)
      case .format:
        words(.photoConverted, ["from": facts.format.name, "to": blob.format.name])
      case .coding: words(.photoEncodedAgain)
      }
    }
    let gone = Set(done.removed.map(\.kind))
    // Told as reasons already.
    let losses = Set(done.losses).subtracting(["bit-depth", "gamut", "cmyk"])
    let rest: [(Bool, TextKey)] = [
      (!done.repairs.isEmpty, .photoRepaired),
      (losses.contains("frames"), .photoAnimationLost),
      (!losses.subtracting(["frames"]).isEmpty, .photoPartsRemoved),
      (!gone.isDisjoint(with: ["exif", "xmp", "iptc"]), .photoMetadataRemoved),
      (gone.contains("location"), .photoLocationRemoved),
    ]
    let all = reasons + rest.filter(\.0).map { words($0.1) }
    return all.isEmpty ? words(.photoKept) : all.joined(separator: ", ")
  }
}
