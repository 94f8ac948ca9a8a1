import CBuildSystem
import Foundation
package import ReportFlow

/// The version of both programs. It is defined only here. The package and the manual get it from the program.
package let programVersion = "0.1.0"

/// A release of a distribution, as described by its os-release file (os-release(5)).
package struct SystemRelease: Equatable, Sendable {
  /// The distribution's id, such as `debian`, and the release number, such as `12`.
  package var id, version: String
  /// The name for people, such as `Debian 12`.
  package var name: String
}

/// The error if a program was built on a different release than it runs on.
package struct OtherRelease: Error, Equatable {
  /// The names of the release that it was built on, and of the one that it runs on.
  package let builtFor, system: String
  /// The version of the package for the release that it runs on.
  package let package: String
  /// The stable code for JSON.
  package static let code = "other-release"

  /// Returns the problem, and what to do about it.
  package func message(in words: Words) -> String {
    words(
      "command.error.otherRelease",
      ["built": builtFor, "here": system, "package": package])
  }
}

extension SystemRelease {
  /// Parses an os-release file. Returns `nil` if it lacks an id or a release, as in Debian unstable.
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
    // Not lazy, because a lazy sequence reads its first file twice and traps if only the second read fails.
    ["/etc/os-release", "/usr/lib/os-release"]
      .compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.first
      .flatMap(Self.init(osRelease:))
  }

  /// The version of the package that is built for this release.
  package var package: String {
    programVersion + (id == "debian" ? "~deb\(version)u1" : "~\(id)\(version).1")
  }

  /// Returns the error if a program built on `built` doesn't run on `here`, otherwise `nil`.
  ///
  /// Only releases of Debian and Ubuntu differ in library interfaces. In other distributions, the release number also
  /// changes with updates that keep the interfaces (Rocky Linux 9.4 and 9.5). On a different distribution, the dynamic
  /// linker decides.
  package static func problem(builtOn built: Self?, runningOn here: Self?) -> OtherRelease? {
    guard let built, let here, built.id == here.id, built.version != here.version,
      ["debian", "ubuntu"].contains(here.id)
    else { return nil }
    return OtherRelease(builtFor: built.name, system: here.name, package: here.package)
  }

  /// The error if this program doesn't run here, otherwise `nil`.
  package static var problem: OtherRelease? { problem(builtOn: ofBuild, runningOn: running) }
}
