import Foundation
import PhotoAttachments
import SystemPackage

/// What is said and asked before an import takes originals away.
enum SourceConsent {
  /// What `--delete-source` or `--move-source` means for the originals.
  ///
  /// - Parameter inStore: whether they are objects of a store.
  static func meaning(movingTo folder: FilePath?, inStore: Bool) -> String {
    meaning(movingTo: folder) + (inStore ? " " + versions : "")
  }

  /// What is promised where an object may be written anew while it is imported.
  private static var versions: String {
    Speech.pick(
      en: "Only the version that was read is deleted; a bucket without versioning can promise that "
        + "only where it heeds If-Match, so let nobody write there meanwhile.",
      pl: "Usuwana jest tylko odczytana wersja; kubełek bez wersjonowania może to obiecać tylko, "
        + "gdy przestrzega If-Match, więc niech nikt tam w tym czasie nie zapisuje.")
  }

  private static func meaning(movingTo folder: FilePath?) -> String {
    let rest = Speech.pick(
      en:
        "It has no metadata (date, place, camera), and is encoded again where it had to be turned "
        + "or converted. Originals that hold more stay, unless --delete-lossy-source is given.",
      pl: "Nie ma ono metadanych (daty, miejsca, aparatu), a gdzie trzeba je było obrócić lub "
        + "przekształcić, jest zakodowane ponownie. Oryginały, które zawierają więcej, zostają, chyba "
        + "że podano --delete-lossy-source.")
    guard let folder else {
      return Speech.pick(
        en: "Each original is deleted once its stored photo is proved; the stored photo takes its "
          + "place. ",
        pl: "Każdy oryginał zostanie usunięty, gdy zapisane zdjęcie będzie sprawdzone; zastąpi go "
          + "zapisane zdjęcie. ") + rest
    }
    let place = DisplayText.path(folder)
    return Speech.pick(
      en: "Each original is moved to \(place) once its stored photo is proved. Originals that hold "
        + "more stay where they are, unless --delete-lossy-source is given.",
      pl:
        "Każdy oryginał zostanie przeniesiony do \(place), gdy zapisane zdjęcie będzie sprawdzone. "
        + "Oryginały, które zawierają więcej, zostają, chyba że podano --delete-lossy-source.")
  }

  /// Asks at the terminal; anything but yes is a no.
  static func ask() throws -> Bool {
    Output.raw(
      Speech.pick(
        en: "Delete the originals? (yes/no; --yes answers, --dry-run tells which): ",
        pl: "Usunąć oryginały? (tak/nie; --yes odpowiada, --dry-run mówi które): "))
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
    return ["yes", "y", "tak", "t"].contains(answer)
  }
}
