import ImageContainers
package import PhotoAttachments
import PhotoIngestion

extension PhotoAttachmentMetadata {
  /// What was done to the photo, as a reporter should know it: `converted from HEIC to JPEG, location
  /// removed`. That the place was taken out is always said.
  package func changes(in words: Words) -> String {
    let rest: [(Bool, TextKey)] = [
      (isCameraDataRemoved, .photoMetadataRemoved), (isLocationRemoved, .photoLocationRemoved),
    ]
    let all = [otherChanges(in: words)].compactMap { $0 } + rest.filter(\.0).map { words($0.1) }
    return all.isEmpty ? words(.photoKept) : all.joined(separator: ", ")
  }

  /// What a reporter wants to know first: that it worked, and what others won't learn from the photo.
  package func ready(in words: Words) -> String {
    switch (isLocationRemoved, isCameraDataRemoved) {
    case (true, true): words(.photoReadyAll)
    case (true, false): words(.photoReadyLocation)
    case (false, true): words(.photoReadyCamera)
    case (false, false): words(.photoAttached)
    }
  }

  /// The changes that `ready` doesn't name; nil when there are none.
  package func otherChanges(in words: Words) -> String? {
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
    // Named as reasons already.
    let losses = Set(done.losses).subtracting(["bit-depth", "gamut", "cmyk", "hdr", "color"])
    let rest: [(Bool, TextKey)] = [
      (!done.repairs.isEmpty, .photoRepaired),
      (losses.contains("animation"), .photoAnimationLost),
      (losses.contains("frames"), .photoFramesLost),
      (!losses.subtracting(["animation", "frames"]).isEmpty, .photoPartsRemoved),
    ]
    let all = reasons + rest.filter(\.0).map { words($0.1) }
    return all.isEmpty ? nil : all.joined(separator: ", ")
  }

  private var isCameraDataRemoved: Bool { !removed.isDisjoint(with: ["exif", "xmp", "iptc"]) }
  private var isLocationRemoved: Bool { removed.contains("location") }
  private var removed: Set<String> { Set(facts.normalization.removed.map(\.kind)) }
}
