import ReportFlow

/// Something missing on this machine and how to get it.
struct MachineProblem: Equatable {
  var code: String
  var fix: String

  init(code: String, fix: String) { (self.code, self.fix) = (code, fix) }

  /// What helps against a problem of the decoders.
  init(decoder code: String) {
    self.code = code
    guard L10n.words.language == .en else {
      fix = Self.polish(code)
      return
    }
    fix =
      switch code {
      case "libvips-start": "Install libvips: sudo apt-get install libvips42"
      case "libmagic-database": "Install libmagic's database: sudo apt-get install libmagic-mgc"
      case "heif-loader":
        "Install libvips with HEIC: sudo apt-get install libvips42 libheif1"
      case "sandbox-landlock":
        "Use Linux 5.13 or newer with Landlock, or accept less safety with --allow-weak-sandbox"
      case "sandbox-seccomp":
        "Use a kernel or container that allows seccomp, or accept less safety with --allow-weak-sandbox"
      default: "Run Scripts/bootstrap, which installs what is missing"
      }
  }

  private static func polish(_ code: String) -> String {
    switch code {
    case "libvips-start": "Zainstaluj libvips: sudo apt-get install libvips42"
    case "libmagic-database": "Zainstaluj bazę libmagic: sudo apt-get install libmagic-mgc"
    case "heif-loader": "Zainstaluj libvips z HEIC: sudo apt-get install libvips42 libheif1"
    case "sandbox-landlock":
      "Użyj Linuksa 5.13 lub nowszego z Landlock albo zgódź się na słabszą ochronę: --allow-weak-sandbox"
    case "sandbox-seccomp":
      "Użyj jądra lub kontenera z seccomp albo zgódź się na słabszą ochronę: --allow-weak-sandbox"
    default: "Uruchom Scripts/bootstrap; zainstaluje to, czego brakuje"
    }
  }
}
