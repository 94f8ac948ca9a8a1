import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension ImportRefusal {
  /// Why an input was not taken, in one line in the language that the command speaks.
  func sentence(about path: FilePath) -> String {
    let file = DisplayText.path(path)
    switch self {
    case .photo(let error):
      guard Speech.words.language == .en else {
        return "\(file): \(error.message(in: Speech.words))"
      }
      return error.sentence(about: path)
    case .notAFile(kind: "symlink"), .linkLoop:
      var status = stat()
      if path.withPlatformString({ stat($0, &status) }) != 0, errno == ENOENT {
        return Speech.pick(
          en: "\(file) is a link to something that is not there.",
          pl: "\(file) to dowiązanie do czegoś, czego nie ma.")
      }
      if self == .linkLoop {
        return Speech.pick(
          en: "\(file) leads to a folder that is visited anyway.",
          pl: "\(file) prowadzi do folderu, który i tak jest przeglądany.")
      }
      return Speech.pick(
        en: "\(file) is a symbolic link. Follow links with --follow-symlinks.",
        pl: "\(file) to dowiązanie symboliczne. Podążaj za nimi z opcją --follow-symlinks.")
    case .notAFile(let kind):
      let noun = KindWords.noun(kind)
      return Speech.pick(
        en: "\(file) is \(noun), not a photo.", pl: "\(file) to \(noun), nie zdjęcie.")
    case .hidden:
      return Speech.pick(
        en: "\(file) is hidden. Take hidden files with --hidden.",
        pl: "\(file) to plik ukryty. Bierz ukryte pliki z opcją --hidden.")
    case .systemFile(let kind):
      let noun = KindWords.noun(kind)
      return Speech.pick(
        en: "\(file) is no photo: \(noun).", pl: "\(file) nie jest zdjęciem: \(noun).")
    case .outside:
      return Speech.pick(
        en: "\(file) leads out of the given folders. Follow it with --follow-outside.",
        pl: "\(file) prowadzi poza podane foldery. Podążaj za nim z opcją --follow-outside.")
    case .changing:
      return Speech.pick(
        en: "\(file) is still being written. Import again when it is complete.",
        pl: "\(file) jest jeszcze zapisywany. Zaimportuj ponownie, gdy będzie gotowy.")
    case .insideCache:
      return Speech.pick(
        en:
          "\(file) belongs to a photo cache, and nothing in a cache is a photo to import. Copy photos "
          + "out of it with: petspot export",
        pl:
          "\(file) należy do folderu danych PetSpot, z którego nic się nie importuje. Skopiuj z niego "
          + "zdjęcia poleceniem: petspot export")
    case .forgotten:
      return Speech.pick(
        en: "\(file) was forgotten. Take it in anew with --again.",
        pl: "Zdjęcie z pliku \(file) usunięto z biblioteki. Dodaj je ponownie z opcją --again.")
    }
  }

  /// The same for many inputs at once, without their names.
  var cause: String {
    switch self {
    case .photo(.unsupportedFormat(let detected)):
      MediaTypeWords.noun(for: detected, in: Speech.words)
    case .photo(.empty): Speech.pick(en: "empty (0 bytes)", pl: "puste (0 B)")
    case .photo(.corrupt(let what)):
      Speech.pick(en: "damaged: ", pl: "uszkodzone: ") + KindWords.damage(what)
    case .photo(.unreadable): Speech.pick(en: "cannot be read", pl: "nie można odczytać")
    case .photo(.tooManyPixels), .photo(.tooManyFrames), .photo(.tooLarge):
      Speech.pick(en: "too large", pl: "za duże")
    case .photo(.timeout): Speech.pick(en: "took too long to read", pl: "czytanie trwało za długo")
    case .photo(let error): error.code
    case .notAFile(kind: "symlink"):
      Speech.pick(
        en: "symbolic links (follow them with --follow-symlinks)",
        pl: "dowiązania symboliczne (weź je z opcją --follow-symlinks)")
    case .linkLoop:
      Speech.pick(
        en: "links to nothing or to a folder that is visited anyway",
        pl: "dowiązania do niczego lub do przeglądanego folderu")
    case .notAFile(let kind), .systemFile(let kind): KindWords.noun(kind)
    case .hidden:
      Speech.pick(en: "hidden (take them with --hidden)", pl: "ukryte (weź je z opcją --hidden)")
    case .outside:
      Speech.pick(
        en: "links out of the given folders (follow them with --follow-outside)",
        pl: "dowiązania poza podane foldery (weź je z opcją --follow-outside)")
    case .changing: Speech.pick(en: "still being written", pl: "jeszcze zapisywane")
    case .insideCache: Speech.pick(en: "inside a photo cache", pl: "w folderze danych PetSpot")
    case .forgotten:
      Speech.pick(
        en: "forgotten (take them in anew with --again)",
        pl: "usunięte z biblioteki (dodaj je ponownie z opcją --again)")
    }
  }
}

/// Words that people know for what machines call otherwise.
enum KindWords {
  /// What is no photo: a special file, or one that a system left.
  static func noun(_ kind: String) -> String {
    switch kind {
    case "fifo": Speech.pick(en: "a named pipe", pl: "potok nazwany")
    case "socket": Speech.pick(en: "a socket", pl: "gniazdo")
    case "device": Speech.pick(en: "a device", pl: "urządzenie")
    case "directory": Speech.pick(en: "a folder", pl: "folder")
    case "symlink": Speech.pick(en: "a symbolic link", pl: "dowiązanie symboliczne")
    case "apple-double":
      Speech.pick(en: "macOS's notes on another file", pl: "notatki macOS o innym pliku")
    case "ds-store":
      Speech.pick(en: "macOS's settings of a folder", pl: "ustawienia folderu macOS")
    case "thumbs-db": Speech.pick(en: "Windows's thumbnails", pl: "miniatury Windows")
    case "desktop-ini":
      Speech.pick(en: "Windows's settings of a folder", pl: "ustawienia folderu Windows")
    case "ea-dir":
      Speech.pick(en: "a Synology disk's own files", pl: "własne pliki dysku Synology")
    default: kind
    }
  }

  /// What is wrong with a damaged photo; programs get the stable word of the structure.
  static func damage(_ what: String) -> String {
    if what.hasPrefix("truncated") {
      return Speech.pick(en: "it ends too early", pl: "plik jest niepełny")
    }
    if ["crc", "adler", "checksum"].contains(where: what.contains) {
      return Speech.pick(en: "a checksum is wrong", pl: "suma kontrolna się nie zgadza")
    }
    return Speech.pick(en: "its data are not in order", pl: "jego dane są niespójne")
  }
}
