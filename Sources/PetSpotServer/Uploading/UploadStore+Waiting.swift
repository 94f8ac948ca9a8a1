import PhotoAttachments

extension UploadStore {
  /// Tries again for some time while an upload is in use. Waiting takes no thread.
  static func patiently<T>(
    for patience: Duration, every pause: Duration = .milliseconds(50),
    _ attempt: () async throws -> T
  ) async throws -> T {
    let end = ContinuousClock.now + patience
    while true {
      do { return try await attempt() } catch UploadError.inUse where ContinuousClock.now < end {}
      try await Task.sleep(for: pause)
    }
  }
}
