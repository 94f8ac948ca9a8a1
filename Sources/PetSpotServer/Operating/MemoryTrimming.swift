import CMalloc
import ServiceLifecycle

/// Gives the system back what was freed, once a minute (malloc_trim(3)). glibc keeps it for itself
/// where it lies between what is still in use.
struct MemoryTrimming: Service {
  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(60))
        malloc_trim(0)
      }
    }
  }
}
