import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow

extension RunFacts {
  /// A run with its counts; `secondsLeft` by the pace since it began, null while it is unknown.
  var json: JSON {
    [
      "id": .int(Int(id)), "state": .string(state.rawValue), "sources": .strings(order.names),
      "inputs": .int(inputs.files), "inputBytes": .int(inputs.bytes), "files": .int(totals.files),
      "imported": .int(totals.imported), "duplicates": .int(totals.duplicates),
      "unchanged": .int(totals.unchanged), "skipped": .int(totals.skipped),
      "failed": .int(totals.failed), "bytesRead": .int(totals.bytesRead),
      "bytesWritten": .int(totals.bytesWritten), "parts": .int(parts),
      "partsDone": .int(partsDone),
      "workers": .array(
        workers.map {
          ["name": .string($0.name), "part": .int(Int($0.part)), "alive": .bool($0.isAlive)]
        }),
      "begunAt": .date(begun), "endedAt": ended.map(JSON.date) ?? .null,
      "seconds": .double((totals.seconds * 1000).rounded() / 1000),
      "secondsLeft": secondsLeft.map { .int(Int($0.rounded(.up))) } ?? .null,
    ]
  }

  /// By the pace since it began.
  private var secondsLeft: Double? {
    guard state == .working, totals.files > 0, totals.seconds > 1 else { return nil }
    return totals.seconds * Double(inputs.files - totals.files) / Double(totals.files)
  }

  /// `3  working  1,204/50,000 files  12 failed  about 12 min left  2 workers  ~/Photos`
  var sentence: String {
    let workers = workers.count(where: \.isAlive)
    var parts = [
      "\(id)", stateWord,
      Speech.pick(
        en: "\(Words.number(totals.files))/\(Words.number(inputs.files)) files",
        pl: "pliki: \(Words.number(totals.files))/\(Words.number(inputs.files))"),
    ]
    if totals.failed > 0 {
      let failed = Words.number(totals.failed)
      parts.append(Speech.pick(en: "\(failed) failed", pl: "błędy: \(failed)"))
    }
    if let secondsLeft, workers > 0 { parts.append(TimeLeft.rounded(secondsLeft)) }
    if state == .working {
      parts.append(
        Speech.pick(
          en: "\(workers) worker\(workers == 1 ? "" : "s")", pl: "pracuje: \(workers)"))
    }
    return (parts + [ReadableText.escaped(order.names.joined(separator: " "))])
      .joined(separator: "  ")
  }

  /// The same with totals, parts and workers, over several lines.
  var sentences: String {
    let counts = [
      (totals.imported, Speech.pick(en: "imported", pl: "zaimportowano")),
      (totals.duplicates, Speech.pick(en: "duplicates", pl: "duplikaty")),
      (totals.unchanged, Speech.pick(en: "unchanged", pl: "bez zmian")),
      (totals.skipped, Speech.pick(en: "skipped", pl: "pominięto")),
      (totals.failed, Speech.pick(en: "failed", pl: "błędy")),
    ]
    let lines =
      [sentence]
      + counts.filter { $0.0 > 0 }.map { "  \($0.1): \(Words.number($0.0))" }
      + [
        Speech.pick(
          en: "  parts done: \(Words.number(partsDone))/\(Words.number(parts))",
          pl: "  gotowe części: \(Words.number(partsDone))/\(Words.number(parts))")
      ]
    return (lines + workers.map(\.sentence)).joined(separator: "\n")
  }

  private var stateWord: String {
    switch state {
    case .listing: Speech.pick(en: "listing", pl: "spisywanie")
    case .working: Speech.pick(en: "working", pl: "w toku")
    case .done: Speech.pick(en: "done", pl: "gotowe")
    }
  }
}

extension RunFacts.Worker {
  /// Who works on which part.
  fileprivate var sentence: String {
    let name = ReadableText.escaped(name)
    let silent = isAlive ? "" : Speech.pick(en: " (silent)", pl: " (milczy)")
    return Speech.pick(
      en: "  part \(part): \(name)\(silent)", pl: "  część \(part): \(name)\(silent)")
  }
}

extension PartWorker.Report {
  /// What a worker did to a part.
  var json: JSON {
    [
      "event": "part", "run": .int(Int(run)), "part": .int(Int(part)),
      "end": .string(end.rawValue), "files": .int(summary.files),
      "imported": .int(summary.imported), "duplicates": .int(summary.duplicates),
      "unchanged": .int(summary.unchanged), "skipped": .int(summary.skipped),
      "failed": .int(summary.failed),
      "seconds": .double((summary.seconds * 1000).rounded() / 1000),
    ]
  }

  /// The same for people.
  var sentence: String {
    let place = Speech.pick(en: "run \(run), part \(part)", pl: "import \(run), część \(part)")
    let files = Words.number(summary.files)
    return switch end {
    case .done:
      Speech.pick(
        en: "\(place): \(files) files in \(Words.duration(summary.seconds))",
        pl: "\(place): pliki \(files), czas \(Words.duration(summary.seconds))")
    case .givenBack:
      Speech.pick(
        en: "\(place): \(files) files, the rest given back",
        pl: "\(place): pliki \(files), resztę oddano")
    case .lost:
      Speech.pick(
        en: "\(place): taken over by another worker", pl: "\(place): przejął inny proces")
    case .failed: Speech.pick(en: "\(place): broken off", pl: "\(place): przerwano")
    }
  }
}
