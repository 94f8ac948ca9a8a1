import CBuildSystem
import Foundation
import ReportFlow

/// A release of a distribution, as its file os-release describes it (os-release(5)).
struct SystemRelease: Equatable {
  /// The distribution's word, such as `debian`, and the release's number, such as `12`.
  var id, version: String
  /// What people call it, such as `Debian 12`.
  var name: String
}

extension SystemRelease {
  /// Parses an os-release; nil without a distribution or a release in it, as in Debian's unstable.
  init?(osRelease text: String) {
    var fields: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      fields[parts[0]] = parts[1].trimmingCharacters(in: .init(charactersIn: "\"' "))
    }
    guard let id = fields["ID"], let version = fields["VERSION_ID"] else { return nil }
    self.id = id
    self.version = version
    name = (fields["NAME"] ?? id).replacing(" GNU/Linux", with: "") + " " + version
  }

  /// The release that this program was built on.
  static var ofBuild: Self? { Self(osRelease: String(cString: petspot_build_system())) }

  /// The release that this program runs on.
  static var running: Self? {
    ["/etc/os-release", "/usr/lib/os-release"].lazy
      .compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.first
      .flatMap(Self.init(osRelease:))
  }

  /// The version of the package that is built for this release.
  var package: String {
    ProgramVersion.current + (id == "debian" ? "~deb\(version)u1" : "~\(id)\(version).1")
  }

  /// Why a program that was built on `built` does not run on `here`; nil when it does.
  ///
  /// Only Debian's and Ubuntu's releases differ in the libraries' interfaces: the numbers of others also
  /// count updates (Rocky Linux 9.4 and 9.5), and on another distribution the libraries decide.
  static func problem(builtOn built: Self?, runningOn here: Self?) -> ReportFailure? {
    guard let built, let here, built.id == here.id, built.version != here.version,
      ["debian", "ubuntu"].contains(here.id)
    else { return nil }
    return ReportFailure(
      code: "other-release",
      message: L10n.words(
        "command.error.otherRelease",
        ["built": built.name, "here": here.name, "package": here.package]),
      exitCode: 69,
      facts: [
        "builtFor": .string(built.name), "system": .string(here.name),
        "package": .string(here.package),
      ])
  }

  /// Why this program does not run here; nil when it does.
  static var problem: ReportFailure? { problem(builtOn: ofBuild, runningOn: running) }
}
