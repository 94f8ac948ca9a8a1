import PhotoAttachments

extension MoveSummary {
  /// The last line of `move --json`.
  var json: JSON {
    [
      "event": "summary", "done": .bool(isDone), "moved": .int(moved),
      "alreadyThere": .int(alreadyThere), "missing": .int(missing), "damaged": .int(damaged),
      "pictures": .int(pictures), "bytes": .int(bytes), "entries": .int(entries),
      "entriesAlreadyThere": .int(entriesThere), "entriesLeftOut": .int(leftOut),
      "entriesDiffering": .int(differing), "erased": .int(erased),
    ]
  }

  /// The same for people.
  var counts: String {
    var parts = Speech.pick(
      en: [
        Self.count(moved, "photo") + " moved (\(Words.size(bytes)))",
        "\(Words.number(alreadyThere)) already there", Self.count(entries, "entry") + " moved",
        "\(Words.number(entriesThere)) already there",
      ],
      pl: [
        "Przeniesione zdjęcia: \(Words.number(moved)) (\(Words.size(bytes)))",
        "już obecne: \(Words.number(alreadyThere))",
        "przeniesione wpisy: \(Words.number(entries))",
        "już obecne: \(Words.number(entriesThere))",
      ])
    let problems = [
      (missing, "missing", "brakujące"), (damaged, "damaged", "uszkodzone"),
      (leftOut, "left out", "pominięte wpisy"),
      (differing, "different there", "wpisy o innym stanie w celu"),
      (erased, "erased before", "wcześniej usunięte"),
    ]
    for (count, english, polish) in problems where count > 0 {
      let number = Words.number(count)
      parts.append(Speech.pick(en: "\(number) \(english)", pl: "\(polish): \(number)"))
    }
    return parts.joined(separator: ", ")
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    if number == 1 { return "1 " + noun }
    return Words.number(number) + " " + (noun == "entry" ? "entries" : noun + "s")
  }

  /// What to do when it is not done.
  var advice: String {
    if isStopped {
      return Speech.pick(
        en: "Not everything is moved. Start the command again to go on.",
        pl: "Nie wszystko jest przeniesione. Uruchom polecenie ponownie, aby kontynuować.")
    }
    if missing + damaged > 0 {
      return Speech.pick(
        en: "Not everything is moved. Mend the source with petspot verify --repair, and start the "
          + "command again.",
        pl:
          "Nie wszystko jest przeniesione. Napraw źródło poleceniem petspot verify --repair i uruchom "
          + "polecenie ponownie.")
    }
    if leftOut > 0 {
      return Speech.pick(
        en:
          "Not everything is moved: what was added meanwhile, or an announcement whose chip is announced "
          + "there already, stayed out. Start the command again.",
        pl:
          "Nie wszystko jest przeniesione: pominięto to, co doszło w trakcie, lub ogłoszenie z chipem, "
          + "który jest już tam ogłoszony. Uruchom polecenie ponownie.")
    }
    return Speech.pick(
      en:
        "Not everything is moved: the target has some entries in another state, and keeps them. Move to "
        + "stores that nobody uses yet, or leave it at that.",
      pl:
        "Nie wszystko jest przeniesione: cel ma niektóre wpisy w innym stanie i je zachowuje. Przenieś do "
        + "nieużywanych magazynów albo tak to zostaw.")
  }
}

extension UnmovedPhoto {
  /// Its line of `move --json`.
  var json: JSON {
    [
      "event": "photo", "id": .string(id), "fileName": .string(fileName),
      "problem": isMissing ? "missing" : "damaged",
    ]
  }

  /// The same for people.
  var line: String {
    let problem =
      isMissing
      ? Speech.pick(en: "its picture is gone", pl: "jego obrazu brak")
      : Speech.pick(
        en: "its picture or its record is damaged", pl: "jego obraz lub wpis jest uszkodzony")
    return Speech.pick(
      en: "not moved  \(DisplayText.name(fileName)) (\(id)): \(problem)",
      pl: "nie przeniesiono  \(DisplayText.name(fileName)) (\(id)): \(problem)")
  }
}
