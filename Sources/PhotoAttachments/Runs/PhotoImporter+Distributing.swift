import Foundation
import Glibc
import PhotoIngestion
package import SystemPackage

/// Writing down what a run is to import.
extension PhotoImporter {
  /// Inputs of a part: about a minute's work of one worker.
  package static let partSize = 256

  /// Writes down what an import of these paths, or of the objects of a store, would come upon, for
  /// workers to import; opens no file. The same paths and options once more find the run that is not
  /// done yet.
  ///
  /// - Parameters:
  ///   - source: the store; nil for `paths`.
  ///   - names: the paths as they are shown.
  ///   - partSize: inputs of a part.
  ///   - isStopped: whether to end early; then the list is begun anew the next time.
  /// - Returns: the number of the run.
  /// - Throws: `StoreError.cancelled` when it was stopped.
  package func enlist(
    _ paths: [FilePath], from source: (any ObjectSource)? = nil, names: [String],
    partSize: Int = partSize, in runs: ImportRuns, isStopped: () -> Bool
  ) throws(StoreError) -> Int64 {
    let order = ImportOrder(
      names: names,
      source: source.map { .objects($0.address) } ?? .folders(Self.folders(of: paths)),
      choice: choice(paths), again: options.again)
    let walk: any EntryWalk =
      if let source {
        ObjectWalk(source, options)
      } else {
        FolderWalk(paths, options: options, cache: cache.folder, restores: !options.dryRun)
      }
    try cache.catalog.insert(roots: Self.folders(of: paths).map(\.path))
    let list = try runs.begin(order)
    guard list.lister != nil else { return list.run }
    var part: [ListedEntry] = []
    while let entry = try walk.next() {
      if isStopped() { throw .cancelled }
      part.append(ListedEntry(entry))
      guard part.count == partSize else { continue }
      // Another process lists this run now: nothing is left to do but to follow it.
      guard try runs.enlist(part, in: list) else { return list.run }
      part = []
    }
    if try runs.enlist(part, in: list) { _ = try runs.complete(list) }
    return list.run
  }

  /// The folders that these paths are, or that they lie in.
  static func folders(of paths: [FilePath]) -> [ImportOrder.Folder] {
    var folders: Set<ImportOrder.Folder> = []
    for root in WalkRoots(paths).list where root.failure == nil {
      var path = root.real
      var status = root.status
      if status.st_mode & S_IFMT != S_IFDIR {
        path.removeSubrange((path.lastIndex(of: UInt8(ascii: "/")) ?? 0)...)
        if path.isEmpty { path = [UInt8(ascii: "/")] }
        guard path.withPath({ stat($0, &status) }) == 0 else { continue }
      }
      folders.insert(.init(path: Data(path), inode: Int64(bitPattern: UInt64(status.st_ino))))
    }
    return folders.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  /// What chooses among the files. Of the paths a digest: a shell's `*` names tens of thousands.
  private func choice(_ paths: [FilePath]) -> [String] {
    let flags = [("hidden", options.hidden), ("follow-symlinks", options.followSymlinks)]
    return ["paths " + sha256(of: Array(paths.map(\.rawBytes).joined(separator: [0])))]
      + options.include.map { "include " + $0 } + options.exclude.map { "exclude " + $0 }
      + flags.filter(\.1).map(\.0)
  }
}

extension ImportOrder.Source {
  /// Whether this machine sees all of it.
  func isVisible() -> Bool {
    switch self {
    case .folders(let folders):
      folders.allSatisfy { folder in
        var status = stat()
        return Array(folder.path).withPath { stat($0, &status) } == 0
          && status.st_mode & S_IFMT == S_IFDIR
          && Int64(bitPattern: UInt64(status.st_ino)) == folder.inode
      }
    // A process that works on runs reaches stores.
    case .objects: true
    }
  }
}
