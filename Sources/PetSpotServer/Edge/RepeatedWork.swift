import ServiceLifecycle

/// A service that is logged by its type's name. Otherwise the log would contain its whole description.
protocol NamedService: Service, CustomStringConvertible {}

extension NamedService {
  var description: String { "\(Self.self)" }
}

/// A service that repeats work until the server ends.
struct RepeatedWork: NamedService {
  /// The name in the log.
  let description: String
  /// The time between two runs of the work.
  let pause: Duration
  /// The time before the first run.
  var delay = Duration.zero
  let work: @Sendable () async -> Void
  /// A closure that runs once after the last repetition, when the server ends.
  var end: @Sendable () -> Void = {}

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      try await Task.sleep(for: delay)
      while true {
        await work()
        try await Task.sleep(for: pause)
      }
    }
    end()
  }
}
