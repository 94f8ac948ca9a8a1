import Foundation
@testable import PetSpotStores
import ReportFlow
import Testing

@testable import petspot

/// Tests with systems that lack something, simulated with mounts on this one.
@Suite struct SystemRunTests {
  /// `true` if this machine allows creating a namespace of mounts.
  static let isPossible =
    (try? Program().run(script: "unshare -m mount --bind /dev/null /etc/os-release").exitCode) == 0

  private func release(_ id: String, _ version: String?, _ name: String) -> String {
    "PRETTY_NAME=\"\(name) 0\"\nNAME=\"\(name)\"\n"
      + (version.map { "VERSION_ID=\"\($0)\"\n" } ?? "") + "ID=\(id)\n# end"
  }

  @Test func aReleaseIsReadAsItsFileDescribesIt() throws {
    let bookworm = try #require(
      SystemRelease(osRelease: release("debian", "12", "Debian GNU/Linux")))
    #expect(bookworm.name == "Debian 12")
    #expect(bookworm.package == ProgramVersion.current + "~deb12u1")
    #expect(SystemRelease(osRelease: "ID='ubuntu'\nVERSION_ID=24.04\n")?.name == "ubuntu 24.04")
    #expect(SystemRelease(osRelease: release("debian", nil, "Debian GNU/Linux")) == nil)
    #expect(SystemRelease(osRelease: "") == nil)
  }

  @Test func onlyAnotherReleaseOfTheSameDistributionIsRefused() {
    func problem(_ built: SystemRelease?, _ here: SystemRelease?) -> OtherRelease? {
      SystemRelease.problem(builtOn: built, runningOn: here)
    }
    let (old, new) = (
      SystemRelease(id: "debian", version: "12", name: "Debian 12"),
      SystemRelease(id: "debian", version: "13", name: "Debian 13")
    )
    #expect(problem(old, new)?.message(in: Words(.en)).contains("~deb13u1") == true)
    #expect(problem(new, old)?.package.hasSuffix("~deb12u1") == true)
    #expect(problem(old, old) == nil && problem(nil, new) == nil && problem(old, nil) == nil)
    #expect(problem(old, .init(id: "ubuntu", version: "24.04", name: "Ubuntu 24.04")) == nil)
    #expect(
      problem(
        .init(id: "rocky", version: "9.4", name: "Rocky Linux 9.4"),
        .init(id: "rocky", version: "9.5", name: "Rocky Linux 9.5")) == nil)
    #expect(SystemRelease.problem == nil, "built and run here")
  }

  @Test(
    .enabled(if: isPossible, "no namespaces of mounts here"),
    .enabled(if: SystemRelease.ofBuild?.id == "debian", "built on another distribution"))
  func theReleaseIsRefusedBeforeAnythingIsRead() throws {
    let program = try Program()
    let file = program.work.appending(path: "os-release")
    try Data(release("debian", "99", "Debian GNU/Linux").utf8).write(to: file)
    func run(_ words: String) throws -> Program.Outcome {
      try program.run(
        script: "exec unshare -m sh -c 'mount --bind \(file.path) /etc/os-release && "
          + "exec env PETSPOT_CACHE=\(program.cache.path) $petspot \(words)'")
    }
    let built = try #require(SystemRelease.ofBuild).name
    let attached = try run("attach /no/such/photo.jpg")
    let package = "petspot \(ProgramVersion.current)~deb99u1"
    #expect(attached.exitCode == 69)
    #expect(
      attached.err == "petspot: This program was built for \(built), and this is Debian 99: "
        + "install the package \(package), or build petspot here from its sources.\n")
    #expect(!FileManager.default.fileExists(atPath: program.cache.path))
    let error = try #require(try run("list --json --lang pl").json["error"] as? [String: Any])
    #expect(error["code"] as? String == "other-release")
    #expect(error["system"] as? String == "Debian 99" && error["builtFor"] as? String == built)
    #expect((error["message"] as? String)?.contains("a to jest Debian 99") == true, "\(error)")
    let doctor = try run("doctor")
    #expect(doctor.exitCode == 69)
    #expect(doctor.err.hasPrefix("petspot: other-release: This program was built"), "\(doctor)")
    #expect(try run("--help").exitCode == 0)
    // The server has a program of its own.
    let server = try program.run(
      script: "exec unshare -m sh -c 'mount --bind \(file.path) /etc/os-release && "
        + "exec $(dirname $petspot)/petspot-server'")
    #expect(server.exitCode == 69)
    #expect(server.err == attached.err)
  }

  /// Runs the program without a library.
  private func run(
    _ program: borrowing Program, without library: String, _ words: String
  ) throws -> Program.Outcome {
    let files = "$(ldconfig -p | sed -n \"s/.*\(library).* => //p\")"
    return try program.run(
      script: "exec unshare -m sh -c '"
        + "for file in \(files); do mount --bind /dev/null $file || exit 99; done; "
        + "exec env PETSPOT_CACHE=\(program.cache.path) $petspot \(words)'")
  }

  @Test(.enabled(if: isPossible, "no namespaces of mounts here"))
  func aMissingDecoderOfHEICCostsOnlyHEIC() throws {
    let program = try Program()
    let jpeg = Program.image("orientation-6.jpg")
    let heic = Program.image("portrait-phone.heic")
    let attached = try run(program, without: "libheif.so.1", "attach \(jpeg)")
    #expect(attached.exitCode == 0, "\(attached)")
    let refused = try run(program, without: "libheif.so.1", "attach \(heic)")
    #expect(refused.exitCode == 69, "\(refused)")
    #expect(refused.err.contains(" wasn't decoded: nothing on this system decodes HEIC;"))
    let doctor = try run(program, without: "libheif.so.1", "doctor --json")
    let problems = doctor.json["problems"] as? [[String: Any]]
    #expect(doctor.exitCode == 69, "\(doctor)")
    #expect(problems?.compactMap { $0["code"] as? String } == ["heif-loader"])
    #expect((doctor.json["sandbox"] as? [String: Any])?["seccomp"] as? Bool == true)
    // libheif decodes pictures without FFmpeg, with plugins if it has them.
    let slow = try run(program, without: "libavcodec.so", "attach \(heic)")
    #expect(slow.exitCode == 0, "\(slow)")
  }
}
