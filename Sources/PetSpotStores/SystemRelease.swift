import CBuildSystem
import Foundation
package import ReportFlow

/// The version of both programs, here and nowhere else: the package and the manual ask the program for it.
package let programVersion = "0.1.0"

/// A release of a distribution, as its file os-release describes it (os-release(5)).
package struct SystemRelease: Equatable, Sendable {
  /// The distribution's word, such as `debian`, and the release's number, such as `12`.
  package var id, version: String
  /// What people call it, such as `Debian 12`.
  package var name: String
}

/// Why a program does not run: it was built on another release than it runs on.
package struct OtherRelease: Error, Equatable {
  /// What the release that it was built on is called, and the one that it runs on.
  package let builtFor, system: String
  /// The version of the package for the latter.
  package let package: String
  /// The stable word for JSON.
  package static let code = "other-release"

  /// What is wrong, and what to do.
  package func message(in words: Words) -> String {
    words(
      "command.error.otherRelease",
      ["built": builtFor, "here": system, "package": package])
  }
}

extension SystemRelease {
  /// Parses an os-release; nil without a distribution or a release in it, as in Debian's unstable.
  package init?(osRelease text: String) {
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
  package static var ofBuild: Self? { Self(osRelease: String(cString: petspot_build_system())) }

  /// The release that this program runs on.
  package static var running: Self? {
    // Not lazily: a lazy list reads its first file twice, and traps where the second time fails.
    ["/etc/os-release", "/usr/lib/os-release"]
      .compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.first
      .flatMap(Self.init(osRelease:))
  }

  /// The version of the package that is built for this release.
  package var package: String {
    programVersion + (id == "debian" ? "~deb\(version)u1" : "~\(id)\(version).1")
  }

  /// Why a program that was built on `built` does not run on `here`; nil when it does.
  ///
  /// Only Debian's and Ubuntu's releases differ in the libraries' interfaces: the numbers of others also
  /// count updates (Rocky Linux 9.4 and 9.5), and on another distribution the libraries decide.
  package static func problem(builtOn built: Self?, runningOn here: Self?) -> OtherRelease? {
    guard let built, let here, built.id == here.id, built.version != here.version,
      ["debian", "ubuntu"].contains(here.id)
    else { return nil }
    return OtherRelease(builtFor: built.name, system: here.name, package: here.package)
  }

  /// Why this program does not run here; nil when it does.
  package static var problem: OtherRelease? { problem(builtOn: ofBuild, runningOn: running) }
}
