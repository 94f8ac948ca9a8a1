import Foundation
import Hashing
import PetSpotStores
import PhotoIngestion
import ReportFlow

/// What this program is and runs on, as `--version` and `doctor` tell it.
struct ProgramVersion {
  /// The version.
  static let current = programVersion

  /// The libraries that it uses, by the name of their key in JSON, and their versions; nil for one
  /// that is not there.
  let libraries: [(name: String, version: String?)]

  /// - Parameter decoders: what the decoders' libraries say of themselves.
  init(decoders: DecoderReport) {
    libraries = [
      ("libvips", decoders.vipsVersion), ("libmagic", decoders.magicVersion),
      ("libheif", decoders.heifVersion), ("libavcodec", decoders.avcodecVersion),
      ("libcrypto", cryptoLibraryVersion), ("sqlite", Stores.sqliteVersion),
    ]
  }

  /// The commit that the program was built from, with `-dirty` for one that was changed, as
  /// `Scripts/petspot` and `Scripts/package` write it beside the program; nil for a program that was
  /// built otherwise, also later than that file was written.
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
    JSON.object([
      .init(key: "version", value: .string(Self.current)),
      .init(key: "commit", value: .optional(Self.commit)),
    ]).adding(libraries.map { .init(key: $0.name, value: .optional($0.version)) })
  }

  /// A line for the program and one a library.
  var lines: [String] {
    let commit = Self.commit.map { "commit \($0)" } ?? L10n.words("version.commitUnknown")
    return ["petspot \(Self.current) (\(commit))"]
      + libraries.map { $0.name + " " + ($0.version ?? Self.words(missing: $0.name)) }
  }

  private static func words(missing library: String) -> String {
    L10n.words("version.libraryMissing")
      + (library == "libavcodec" ? L10n.words("doctor.slowHEIC") : "")
  }
}
