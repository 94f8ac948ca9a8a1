extension PhotoForm {
  /// The version of this code's output for equal input and policy. Increment it with every change of cleaning,
  /// planning, rotating, shrinking or encoding that produces different bytes.
  package static let currentCode = 10

  static let libraryNames: Set<String> = ["libvips", "libheif", "libwebp", "libavcodec"]

  /// Creates the form, which is everything that the bytes of a blob depend on, for a policy, this code and these
  /// libraries.
  ///
  /// - Parameters:
  ///   - policy: provides the settings that affect the bytes.
  ///   - libraries: the versions that a worker reported. Only text that looks like a version is kept.
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

  /// Returns a policy with the settings of this form that affect the bytes. Its limits and threads stay.
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
