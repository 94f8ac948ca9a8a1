extension PhotoForm {
  /// The version of what this code makes of equal input under an equal policy. Raise it with every
  /// change that gives other bytes: of cleaning, planning, turning, shrinking or encoding.
  package static let currentCode = 9

  static let libraryNames: Set<String> = ["libvips", "libheif", "libwebp", "libavcodec"]

  /// The form that a policy, this code and these libraries give.
  ///
  /// - Parameters:
  ///   - policy: what says which form comes out.
  ///   - libraries: as a worker reports them; only what looks like a version is kept.
  package init(policy: PhotoPolicy, libraries: [String: String]) {
    let versions = libraries.filter { Self.libraryNames.contains($0.key) }.compactMapValues {
      let isVersion =
        $0.utf8.count <= 32
        && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".+-~_".contains($0)) }
      return isVersion ? $0 : nil
    }
    self.init(
      previewSide: policy.previewSide, jpegQuality: policy.jpegQuality,
      webpQuality: policy.webpQuality, losslessPixels: policy.losslessPixels,
      previewQuality: policy.previewQuality, code: Self.currentCode, libraries: versions)
  }

  /// Returns a policy with what of it decides on the bytes; its limits and threads stay.
  package func applied(to policy: PhotoPolicy) -> PhotoPolicy {
    var policy = policy
    policy.previewSide = previewSide
    policy.jpegQuality = jpegQuality
    policy.webpQuality = webpQuality
    policy.losslessPixels = losslessPixels
    policy.previewQuality = previewQuality
    return policy
  }
}
