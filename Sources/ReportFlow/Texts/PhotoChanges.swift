import ImageContainers
import PhotoAttachments
package import PhotoModel

extension PhotoAttachmentMetadata {
  /// Returns the changes to the photo for its reporter, such as `converted from HEIC to JPEG, location removed`. Always
  /// mentions a removed location.
  package func changes(in words: Words) -> String {
    let rest: [(Bool, TextKey)] = [
      (isCameraDataRemoved, "photo.metadataRemoved"), (isLocationRemoved, "photo.locationRemoved"),
    ]
    let all = [otherChanges(in: words)].compactMap { $0 } + rest.filter(\.0).map { words($0.1) }
    return all.isEmpty ? words("photo.kept") : all.joined(separator: ", ")
  }

  /// Returns the success message, which names the private data that was removed.
  package func ready(in words: Words) -> String {
    switch (isLocationRemoved, isCameraDataRemoved) {
    case (true, true): words("photo.ready.all")
    case (true, false): words("photo.ready.location")
    case (false, true): words("photo.ready.camera")
    case (false, false): words("photo.attached")
    }
  }

  /// Returns the changes that `ready` doesn't mention, or `nil` if there are no such changes.
  package func otherChanges(in words: Words) -> String? {
    let done = facts.normalization
    let formats = ["from": facts.format.name, "to": blob.format.name]
    let reasons = done.reasons.map {
      words(TextKey(rawValue: "photo.step.\($0.rawValue)"), formats)
    }
    // These are already listed as reasons.
    let losses = Set(done.losses).subtracting(["bit-depth", "gamut", "cmyk", "hdr", "color"])
    let rest: [(Bool, TextKey)] = [
      (!done.repairs.isEmpty, "photo.repaired"),
      (losses.contains("animation"), "photo.animationLost"),
      (losses.contains("frames"), "photo.framesLost"),
      (!losses.subtracting(["animation", "frames"]).isEmpty, "photo.partsRemoved"),
    ]
    let all = reasons + rest.filter(\.0).map { words($0.1) }
    return all.isEmpty ? nil : all.joined(separator: ", ")
  }

  private var isCameraDataRemoved: Bool { !removed.isDisjoint(with: ["exif", "xmp", "iptc"]) }
  private var isLocationRemoved: Bool { removed.contains("location") }
  private var removed: Set<String> { Set(facts.normalization.removed.map(\.kind)) }
}
