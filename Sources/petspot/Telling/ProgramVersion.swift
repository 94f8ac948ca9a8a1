/// The version of this program, as `--version` and `doctor` tell it.
enum ProgramVersion {
  static let current = "0.1.0"
}
