import ReportFlow
import ServiceLifecycle

/// Asks for a newer list of species at the start and every hour, where one is configured (decision 19).
struct SpeciesRefreshing: NamedService {
  let source: TaxonomySource

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        await source.refresh()
        try await Task.sleep(for: .seconds(3600))
      }
    }
  }
}
