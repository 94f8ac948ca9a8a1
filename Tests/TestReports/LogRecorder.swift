package import Logging
import Synchronization

/// A log handler's store of all messages that were logged.
package final class LogRecorder: Sendable {
  private let messages = Mutex<[String]>([])
  package var all: [String] { messages.withLock { $0 } }
  package var handler: any LogHandler { Handler(recorder: self) }

  private struct Handler: LogHandler {
    let recorder: LogRecorder
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      recorder.messages.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}
