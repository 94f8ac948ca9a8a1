import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow

extension LibraryRun.Facts {
  /// The run with keys that `RunFacts.json` of a distributed run also has. `imported` counts the photos that still
  /// exist.
  var json: JSON {
    ["id": id, "state": "done", "sources": names, "imported": photos, "begunAt": begun]
  }

  /// A line such as `3  2026-11-26 15:20  2,733 photos  ~/Photos`.
  var sentence: String {
    [
      "\(id)", Amounts.moment(begun), L10n.words("count.photos", count: photos),
      ReadableText.escaped(names.joined(separator: " ")),
    ].joined(separator: "  ")
  }
}

extension RunFacts {
  /// The run with its counts. `secondsLeft` is `null` while it is unknown.
  var json: JSON {
    [
      "id": id, "state": state.rawValue, "sources": order.names, "inputs": inputs.files,
      "inputBytes": inputs.bytes, "files": totals.files, "imported": totals.imported,
      "duplicates": totals.duplicates, "unchanged": totals.unchanged, "skipped": totals.skipped,
      "failed": totals.failed, "bytesRead": totals.bytesRead, "bytesWritten": totals.bytesWritten,
      "parts": parts, "partsDone": partsDone,
      "workers": workers.map {
        ["name": $0.name, "part": $0.part, "alive": $0.isAlive] as JSON
      },
      "begunAt": begun, "endedAt": ended, "seconds": totals.seconds.milliseconds,
      "secondsLeft": secondsLeft.map { Int($0.rounded(.up)) },
    ]
  }

  /// The remaining seconds, estimated from the pace since the run began.
  private var secondsLeft: Double? {
    guard state == .working, totals.files > 0, totals.seconds > 1 else { return nil }
    return totals.seconds * Double(inputs.files - totals.files) / Double(totals.files)
  }

  /// A line such as `3  working  1,204/50,000 files  12 failed  about 12 min left  2 workers  ~/Photos`.
  var sentence: String {
    let workers = workers.count(where: \.isAlive)
    var parts = [
      "\(id)", L10n.words(TextKey(rawValue: "runs.state.\(state.rawValue)")),
      L10n.words(
        "runs.files", ["done": Amounts.number(totals.files), "all": Amounts.number(inputs.files)]),
    ]
    if totals.failed > 0 {
      parts.append(L10n.words("runs.failures", ["failed": Amounts.number(totals.failed)]))
    }
    if let secondsLeft, workers > 0 { parts.append(TimeLeft.rounded(secondsLeft)) }
    if state == .working { parts.append(L10n.words("count.workers", count: workers)) }
    return (parts + [ReadableText.escaped(order.names.joined(separator: " "))])
      .joined(separator: "  ")
  }

  /// The sentence, followed by lines with totals, parts and workers.
  var sentences: String {
    let counts = [
      (totals.imported, L10n.words("runs.imported")),
      (totals.duplicates, L10n.words("runs.duplicates")),
      (totals.unchanged, L10n.words("import.outcome.unchanged")),
      (totals.skipped, L10n.words("import.outcome.skipped")),
      (totals.failed, L10n.words("runs.failed")),
    ]
    let done = ["done": Amounts.number(partsDone), "all": Amounts.number(parts)]
    let lines =
      [sentence] + counts.filter { $0.0 > 0 }.map { "  \($0.1): \(Amounts.number($0.0))" }
      + [L10n.words("runs.parts", done)] + workers.map(\.sentence)
    return lines.joined(separator: "\n")
  }
}

extension RunFacts.Worker {
  /// The worker's name and part.
  fileprivate var sentence: String {
    let name = ReadableText.escaped(name)
    let silent = isAlive ? "" : L10n.words("runs.workerSilent")
    return L10n.words("runs.worker", ["part": "\(part)", "name": name, "silent": silent])
  }
}

extension PartWorker.Report {
  /// The result of a worker's part.
  var json: JSON {
    [
      "event": "part", "run": run, "part": part, "end": end.rawValue, "files": summary.files,
      "imported": summary.imported, "duplicates": summary.duplicates,
      "unchanged": summary.unchanged, "skipped": summary.skipped, "failed": summary.failed,
      "seconds": summary.seconds.milliseconds,
    ]
  }

  /// The result as text.
  var sentence: String {
    L10n.words(
      TextKey(rawValue: "worker.part.\(end.rawValue)"),
      [
        "place": L10n.words("worker.part.name", ["run": "\(run)", "part": "\(part)"]),
        "files": L10n.words("count.files", count: summary.files),
        "seconds": Amounts.duration(summary.seconds),
      ])
  }
}
