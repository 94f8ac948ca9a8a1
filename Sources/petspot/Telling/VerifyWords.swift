import PhotoAttachments
import ReportFlow
import SystemPackage

extension VerifyReport {
  /// The last line of `verify --json`.
  var json: JSON {
    [
      "event": "summary", "checked": .int(checked), "damaged": .int(damaged),
      "missing": .int(missing), "unavailable": .int(unavailable), "repaired": .int(repaired),
      "quarantined": .int(quarantined),
      "orphans": .int(orphans), "orphanBytes": .int(orphanBytes), "leftovers": .int(leftovers),
      "abandoned": .int(abandoned), "recordsLost": .bool(recordsLost),
    ]
  }

  /// The same for people, in the language that the command speaks.
  var lines: String { Speech.words.pick(en: englishLines, pl: polishLines) }

  private var polishLines: String {
    var lines = [
      "Sprawdzono: \(Words.number(checked)), uszkodzone: \(Words.number(damaged)), "
        + "brakujące: \(Words.number(missing))"
        + (unavailable > 0 ? ", niedostępne: \(Words.number(unavailable))" : "")
        + (repaired > 0 ? ", naprawione: \(Words.number(repaired))" : "")
    ]
    if quarantined > 0 {
      lines.append("Uszkodzone pliki przeniesione do quarantine/ w folderze danych: \(quarantined)")
    }
    if orphans + leftovers > 0, !recordsLost {
      lines.append("Pliki bez wpisu: \(orphans + leftovers); usuń je poleceniem: petspot sweep")
    }
    return lines.joined(separator: "\n")
  }

  private var englishLines: String {
    var lines = [
      "\(Words.number(checked)) checked, \(Words.number(damaged)) damaged, "
        + "\(Words.number(missing)) missing"
        + (unavailable > 0 ? ", \(Words.number(unavailable)) unavailable" : "")
        + (repaired > 0 ? ", \(Words.number(repaired)) repaired" : "")
    ]
    if quarantined > 0 {
      let files = quarantined == 1 ? "1 damaged file" : "\(Words.number(quarantined)) damaged files"
      lines.append("\(files) moved to quarantine/ in the cache folder")
    }
    let rubbish = orphans + leftovers
    if rubbish > 0, !recordsLost {
      let files = rubbish == 1 ? "1 file" : "\(Words.number(rubbish)) files"
      lines.append("\(files) without a record; clear them away with: petspot sweep")
    }
    return lines.joined(separator: "\n")
  }

  /// What a verification of attached photos does not say.
  static var leftOut: String {
    Speech.pick(
      en:
        "The library and files without a record were left out; prove everything with: petspot verify",
      pl: "Pominięto bibliotekę i pliki bez wpisu; sprawdź wszystko poleceniem: petspot verify")
  }

  /// What to do about it.
  func advice(repairing: Bool) -> String {
    guard Speech.words.language == .en else { return polishAdvice(repairing: repairing) }
    if isIncomplete {
      return
        "The store could not give every picture, so nothing is known of those named above. Look at "
        + "its log and verify again"
        + (repairing
          ? ", or name a folder with originals: petspot verify --repair --from DIR"
          : ", or bring them back from their originals with: petspot verify --repair")
    }
    if damaged + missing == repaired {
      return "The catalog was lost once, and \(Words.number(orphans)) pictures have no record. "
        + "Import or attach their originals again, or restore the catalog from a backup; nothing "
        + "is deleted."
    }
    return repairing
      ? "What is named above could not be repaired. Attach or import it again from its original, or "
        + "name a folder with originals: petspot verify --all --repair --from DIR"
      : "Bring the photos named above back with: petspot verify --all --repair"
  }
}

extension VerifyReport {
  private func polishAdvice(repairing: Bool) -> String {
    if isIncomplete {
      return
        "Magazyn nie wydał wszystkich obrazów, więc o wymienionych powyżej nic nie wiadomo. Zajrzyj do "
        + "jego dziennika i sprawdź ponownie"
        + (repairing
          ? " albo wskaż folder z oryginałami: petspot verify --repair --from DIR"
          : " albo przywróć je z oryginałów poleceniem: petspot verify --repair")
    }
    if damaged + missing == repaired {
      return "Katalog został kiedyś utracony; zdjęcia bez wpisu: \(orphans). Zaimportuj lub dodaj "
        + "ich oryginały ponownie albo przywróć katalog z kopii; nic nie jest usuwane."
    }
    return repairing
      ? "Tego, co wymieniono powyżej, nie udało się naprawić. Dodaj lub zaimportuj zdjęcia ponownie "
        + "albo wskaż folder z oryginałami: petspot verify --all --repair --from DIR"
      : "Przywróć wymienione zdjęcia poleceniem: petspot verify --all --repair"
  }
}

extension VerifyReport.Finding {
  /// A line of `verify --json`, with the name and the original that its owner knows.
  func json(_ name: String?, _ original: FilePath?) -> JSON {
    var json: JSON = [
      "event": .string(event), "id": .optional(photo), "path": .optional(path),
      "problem": .string(problem.rawValue),
    ]
    if let name { json = json.adding(["fileName": .string(name)]) }
    if let original {
      json = json.adding(["original": .string(DisplayText.verbatim(original))])
    }
    if let draft { json = json.adding(["draft": .string(draft)]) }
    if let answer { json = json.adding(["detail": .string(answer)]) }
    if let quarantined { json = json.adding(["quarantined": .string(quarantined)]) }
    switch repair {
    case .done(let method)?:
      json = json.adding(["repaired": true, "from": .string(method.rawValue)])
    case .failed(let reason)?:
      json = json.adding(["repaired": false, "reason": .string(reason.rawValue)])
    case nil: break
    }
    return json
  }

  private var event: String {
    draft != nil ? "draft" : photo != nil ? "photo" : "file"
  }

  /// The same for people: the file as its owner knows it, and what it is in the store.
  func line(_ name: String?, _ original: FilePath?) -> String {
    let known = original.map(DisplayText.path) ?? name.map(DisplayText.name)
    let report = draft.map { Speech.pick(en: "report \($0)", pl: "zgłoszenie \($0)") }
    let stored = [photo, report, path].compactMap { $0 }.map(DisplayText.name)
    let subject =
      known.map { $0 + " (" + stored.joined(separator: ", ") + ")" }
      ?? stored.joined(separator: ", ")
    let earlier =
      problem == .missing && quarantined != nil
      ? Speech.pick(
        en: " (moved to quarantine earlier)", pl: " (wcześniej przeniesiono do quarantine)") : ""
    let why = answer.map { " (\(DisplayText.name($0)))" } ?? ""
    return "\(subject): \(problem.words)\(why)\(earlier)" + (repair.map { "; \($0.words)" } ?? "")
  }
}

extension StoreProblem {
  /// What is wrong, for people.
  fileprivate var words: String { Speech.pick(en: english, pl: polish) }

  private var polish: String {
    switch self {
    case .missing: "plik zniknął"
    case .size: "plik ma inny rozmiar niż zapisano"
    case .digest: "bajty nie są tymi, które zapisano"
    case .swapped: "to bajty innego zdjęcia"
    case .unreadable: "pliku nie można odczytać"
    case .unavailable: "magazyn nie może go wydać"
    case .structure: "struktura obrazu jest uszkodzona"
    case .metadata: "nie każdy bajt pliku należy do obrazu"
    case .decode: "obrazu nie można zdekodować"
    case .record: "wpis został zmieniony"
    case .reference: "wpis wskazuje na coś, czego nie ma"
    }
  }

  private var english: String {
    switch self {
    case .missing: "the file is gone"
    case .size: "the file has another size than recorded"
    case .digest: "the bytes are not those recorded"
    case .swapped: "the bytes are those of another picture"
    case .unreadable: "the file cannot be read"
    case .unavailable: "the store cannot give it"
    case .structure: "the picture's structure is damaged"
    case .metadata: "not every byte of the file is the picture's"
    case .decode: "the picture cannot be decoded"
    case .record: "the record was altered"
    case .reference: "the record points at something that is gone"
    }
  }
}

extension VerifyReport.Repair {
  /// What came of it, for people.
  fileprivate var words: String { Speech.pick(en: english, pl: polish) }

  private var polish: String {
    switch self {
    case .done(.source): "naprawiono z oryginału"
    case .done(.remade):
      "utworzono na nowo z oryginału; bajty są inne niż dawniej, bo zmieniły się "
        + "dekodery"
    case .done(.cleaned): "oczyszczono ponownie; piksele są te same"
    case .done(.quarantine): "naprawiono z zamienionego pliku"
    case .done(.blob): "naprawiono z zapisanego obrazu"
    case .done(.record): "naprawiono"
    case .done(.sealed): "naprawiono, ile można potwierdzić; sprawdź nazwę i datę"
    case .done(.released): "zwolniono; zaimportuj lub dodaj zdjęcie ponownie"
    case .failed(.noSource): "nie naprawiono, nie ma oryginału"
    case .failed(.sourceChanged): "nie naprawiono, oryginał się zmienił"
    case .failed(.otherBytes): "nie naprawiono, oryginał daje dziś inny obraz"
    case .failed(.storage): "nie naprawiono, nie udało się zapisać w folderze danych"
    }
  }

  private var english: String {
    switch self {
    case .done(.source): "repaired from the original"
    case .done(.remade):
      "made anew from the original; its bytes are not those of before, because decoders have changed"
    case .done(.cleaned): "cleaned again; its pixels are those of before"
    case .done(.quarantine): "repaired from the exchanged file"
    case .done(.blob): "repaired from the stored picture"
    case .done(.record): "repaired"
    case .done(.sealed): "repaired as far as it can be proved; look at its name and date"
    case .done(.released): "let go; import or attach the photo again"
    case .failed(.noSource): "not repaired, its original is not there"
    case .failed(.sourceChanged): "not repaired, its original has changed"
    case .failed(.otherBytes): "not repaired, its original gives another picture today"
    case .failed(.storage): "not repaired, the cache did not take it"
    }
  }
}
