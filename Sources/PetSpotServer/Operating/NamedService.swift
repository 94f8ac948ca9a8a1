import ServiceLifecycle

/// A service that the log names by its type; otherwise it would print all that it holds.
protocol NamedService: Service, CustomStringConvertible {}

extension NamedService {
  var description: String { "\(Self.self)" }
}
