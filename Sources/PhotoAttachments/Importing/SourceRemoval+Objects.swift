import PhotoIngestion

/// Deleting an object that was imported.
extension SourceRemoval {
  /// Deletes an object whose bytes are still those that were read. It is read once more: what is deleted
  /// is the version that these bytes came from, as `ObjectSource.delete` promises.
  ///
  /// - Parameters:
  ///   - file: what the walk found.
  ///   - digest: SHA-256 of what was read.
  /// - Returns: why it was kept, or that it is gone.
  static func remove(
    _ file: FoundFile, sha256 digest: String, from source: any ObjectSource
  ) -> Outcome {
    guard let key = source.key(of: file) else { return .kept(.changed) }
    let name = key.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    if source.isStored(key) || CacheDetector.isStored(name) { return .kept(.stored) }
    do throws(StoreError) {
      guard let (object, bytes) = try source.read(key, first: nil),
        object.identity == file.identity, sha256(of: bytes) == digest
      else { return .kept(.changed) }
      return try source.delete(object) ? .deleted : .kept(.changed)
    } catch {
      switch error {
      case .unreachable(let service, let detail), .overloaded(let service, let detail),
        .serviceFailed(let service, let detail):
        return .kept(.storeFailed(service: service, detail: detail))
      default: return .kept(.changed)
      }
    }
  }
}
