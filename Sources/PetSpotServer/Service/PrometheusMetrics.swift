package import CoreMetrics
import Foundation
import Synchronization

/// Counters, gauges and histograms in memory, written in Prometheus' text format (version 0.0.4). Labels never contain
/// text from clients, so the number of series is bounded.
package final class PrometheusMetrics: MetricsFactory {
  private let counters = Mutex<[Series: PrometheusCounter]>([:])
  private let gauges = Mutex<[Series: PrometheusGauge]>([:])
  private let times = Mutex<[Series: PrometheusTimer]>([:])

  package init() {}

  /// A metric's name and labels.
  private struct Series: Hashable {
    let name: String
    let labels: [String]

    init(_ label: String, _ dimensions: [(String, String)]) {
      name = String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
      labels = dimensions.map { key, value in
        let value = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
          .replacing("\n", with: "\\n")
        return "\(key)=\"\(value)\""
      }
    }

    func line(_ suffix: String = "", _ extraLabels: [String] = [], _ value: String) -> String {
      let labels = (labels + extraLabels).joined(separator: ",")
      return "\(name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }
  }

  package func makeCounter(
    label: String, dimensions: [(String, String)]
  ) -> any CounterHandler {
    metric(Series(label, dimensions), in: counters) { PrometheusCounter() }
  }

  /// Makes a gauge, because this project records no distributions.
  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    metric(Series(label, dimensions), in: gauges) { PrometheusGauge() }
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    metric(Series(label, dimensions), in: times) { PrometheusTimer() }
  }

  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}

  private func metric<Value: Sendable>(
    _ series: Series, in all: borrowing Mutex<[Series: Value]>, orMake make: () -> Value
  ) -> Value {
    all.withLock { all in
      if let known = all[series] { return known }
      let new = make()
      all[series] = new
      return new
    }
  }

  /// Returns all metrics in Prometheus' text format.
  package func exposition() -> String {
    var text = ""
    for (name, all) in Self.byName(counters.withLock { $0 }) {
      text += "# TYPE \(name) counter\n"
      for (series, count) in all { text += series.line("", [], String(count.value)) }
    }
    for (name, all) in Self.byName(gauges.withLock { $0 }) {
      text += "# TYPE \(name) gauge\n"
      for (series, gauge) in all { text += series.line("", [], gauge.text) }
    }
    for (name, all) in Self.byName(times.withLock { $0 }) {
      text += "# TYPE \(name) histogram\n"
      for (series, histogram) in all {
        let snapshot = histogram.snapshot
        for (bound, count) in zip(PrometheusTimer.bounds, snapshot.counts) {
          text += series.line("_bucket", ["le=\"\(bound)\""], String(count))
        }
        text += series.line("_bucket", ["le=\"+Inf\""], String(snapshot.count))
        text += series.line("_sum", [], String(snapshot.sum))
        text += series.line("_count", [], String(snapshot.count))
      }
    }
    return text
  }

  /// Returns the series grouped by name, in a stable order.
  private static func byName<Value>(
    _ all: [Series: Value]
  ) -> [(String, [(Series, Value)])] {
    Dictionary(grouping: all.map { ($0.key, $0.value) }, by: \.0.name)
      .mapValues { $0.sorted { $0.0.labels.lexicographicallyPrecedes($1.0.labels) } }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

/// A counter.
private final class PrometheusCounter: CounterHandler {
  private let number = Atomic<Int64>(0)
  var value: Int64 { number.load(ordering: .relaxed) }
  func increment(by amount: Int64) { number.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { number.store(0, ordering: .relaxed) }
}

/// A gauge with the last recorded value.
private final class PrometheusGauge: RecorderHandler {
  private let value = Mutex(0.0)

  /// The value, without a decimal point if it is a whole number, so that bytes and times are exact.
  var text: String { value.withLock { Int(exactly: $0).map(String.init) ?? "\($0)" } }

  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) { self.value.withLock { $0 = value } }
}

/// A histogram of durations in seconds.
private final class PrometheusTimer: TimerHandler {
  static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  private let state = Mutex(
    (counts: [Int](repeating: 0, count: bounds.count), count: 0, sum: 0.0))

  /// The number of durations at or below each bound, the number of all durations, and their sum.
  var snapshot: (counts: [Int], count: Int, sum: Double) { state.withLock { $0 } }

  func recordNanoseconds(_ duration: Int64) {
    let seconds = Double(duration) / 1e9
    state.withLock { state in
      for (index, bound) in Self.bounds.enumerated() where seconds <= bound {
        state.counts[index] += 1
      }
      state.count += 1
      state.sum += seconds
    }
  }
}
