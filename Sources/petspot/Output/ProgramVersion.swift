import Foundation
import Hashing
import PetSpotStores
import PhotoIngestion
import ReportFlow

/// The versions of this program and its libraries, as printed by `--version` and `doctor`.
struct ProgramVersion {
  /// The version of this program.
  static let current = programVersion

  /// The libraries by their keys in JSON, and their versions. A version is `nil` if the library is missing.
  let libraries: [(name: String, version: String?)]

  /// - Parameter decoders: the versions that the decoders' libraries report.
  init(decoders: DecoderReport) {
    libraries = [
      ("libvips", decoders.vipsVersion), ("libmagic", decoders.magicVersion),
      ("libheif", decoders.heifVersion), ("libavcodec", decoders.avcodecVersion),
      ("libcrypto", cryptoLibraryVersion), ("sqlite", Stores.sqliteVersion),
    ]
  }

  /// The commit that the program was built from, with `-dirty` if the sources were changed.
  ///
  /// `Scripts/petspot` and `Scripts/package` write it to a file next to the program. `nil` if the program was built in
  /// another way, or after that file was written.
  static let commit: String? = {
    let files = FileManager.default
    guard let program = try? files.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
      let text = try? String(contentsOfFile: program + ".commit", encoding: .utf8),
      let (written, built) = try? (date(of: program + ".commit"), date(of: program)),
      written >= built
    else { return nil }
    let commit = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return commit.isEmpty ? nil : commit
  }()

  private static func date(of file: String) throws -> Date {
    try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
      ?? .distantPast
  }

  var json: JSON {
    let program: JSON = ["version": Self.current, "commit": Self.commit]
    return program.adding(libraries.map { .init($0.name, $0.version) })
  }

  /// One line for the program and one per library.
  var lines: [String] {
    let commit = Self.commit.map { "commit \($0)" } ?? L10n.words("version.commitUnknown")
    return ["petspot \(Self.current) (\(commit))"]
      + libraries.map { $0.name + " " + ($0.version ?? Self.words(missing: $0.name)) }
  }

  /// Returns the text for a missing library, with its effect if there is one.
  private static func words(missing library: String) -> String {
    L10n.words("version.libraryMissing")
      + (library == "libavcodec" ? L10n.words("doctor.slowHEIC") : "")
  }
}
