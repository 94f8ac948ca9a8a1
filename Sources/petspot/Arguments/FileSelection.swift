import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage

/// The options of commands that read the photos below folders: the files to read.
struct FileSelection: ParsableArguments {
  @Option(
    help: .words("help.import.filesFrom", "file|-"), completion: .file(),
    transform: ListedNames.init)
  var filesFrom: ListedNames?

  @Option(
    parsing: .singleValue, help: .words("help.import.include", "glob"), transform: RawArguments.text
  )
  var include: [String] = []

  @Option(
    parsing: .singleValue, help: .words("help.import.exclude", "glob"), transform: RawArguments.text
  )
  var exclude: [String] = []

  @Flag(help: .words("help.import.hidden"))
  var hidden = false

  @Flag(help: .words("help.import.followSymlinks"))
  var followSymlinks = false

  /// Returns the paths of these inputs and of the list.
  func paths(and given: [[ImportInput]]) -> [FilePath] {
    given.joined().compactMap { if case .path(let path) = $0 { path } else { nil } }
      + ((try? filesFrom?.names.get()) ?? [])
  }

  /// Throws if the list can't be read, or if all paths are missing, because a name is probably mistyped. If only some
  /// are missing, each is reported as a file.
  func checkInputs(_ paths: [FilePath]) throws {
    if let list = filesFrom, case .failure(let error) = list.names {
      throw Failure(.photo(.unreadable(.system(errno: error.rawValue))), about: list.file)
    }
    let isMissing =
      !paths.isEmpty
      && paths.allSatisfy { path in
        var status = stat()
        return path.withPlatformString { lstat($0, &status) } != 0
          && [ENOENT, ENOTDIR].contains(errno)
      }
    guard isMissing, let path = paths.first else { return }
    throw Failure(.photo(.unreadable(.system(errno: ENOENT))), about: path)
  }

  /// The options of an import that reads these files.
  var importOptions: ImportOptions {
    var options = ImportOptions()
    options.include = include
    options.exclude = exclude
    options.includesHidden = hidden
    options.followsSymlinks = followSymlinks
    return options
  }
}
