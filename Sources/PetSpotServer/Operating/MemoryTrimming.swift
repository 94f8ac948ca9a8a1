import CMalloc
import PhotoAttachments
import ServiceLifecycle

/// Gives the system back, once a minute, what isn't needed: pages that the catalog keeps to be faster,
/// and what was freed (malloc_trim(3)), which glibc keeps where it lies between what is still in use.
struct MemoryTrimming: NamedService {
  let photos: PhotoAttachmentCache

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(60))
        photos.releaseMemory()
        malloc_trim(0)
      }
    }
  }
}
