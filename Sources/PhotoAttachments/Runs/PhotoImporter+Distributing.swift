import Foundation
import Glibc
import PhotoIngestion
package import SystemPackage

/// Lists the inputs of an import for workers.
extension PhotoImporter {
  /// The number of inputs per part: about one minute's work for a worker.
  package static let partSize = 256

  /// Lists everything that an import of these paths or of a store's objects would find, so that workers can import it.
  /// Opens no files. If a run for the same paths and options isn't done yet, returns that run.
  ///
  /// - Parameters:
  ///   - source: the store. `nil` lists `paths`.
  ///   - names: the paths in display form.
  ///   - partSize: the number of inputs per part.
  ///   - isStopped: returns `true` to end early. The next call then starts the list over.
  /// - Returns: the number of the run.
  /// - Throws: `StoreError.cancelled` if it was stopped.
  package func enlist(
    _ paths: [FilePath], from source: (any ObjectSource)? = nil, names: [String],
    partSize: Int = partSize, in runs: ImportRuns, isStopped: () -> Bool
  ) throws(StoreError) -> Int64 {
    let order = ImportOrder(
      names: names,
      source: source.map { .objects($0.address) } ?? .folders(Self.folders(of: paths)),
      choice: choice(paths), again: options.retriesRefused)
    let walk: any EntryWalk =
      if let source {
        ObjectWalk(source, options)
      } else {
        try FolderWalk(paths, options: options, cache: cache.folder, restores: !options.dryRun)
      }
    try cache.catalog.insert(roots: Self.folders(of: paths).map(\.path))
    let list = try runs.begin(order)
    guard list.lister != nil else { return list.run }
    var part: [ListedEntry] = []
    while let entry = try walk.next() {
      if isStopped() { throw .cancelled }
      part.append(ListedEntry(entry))
      guard part.count == partSize else { continue }
      // Another process has taken over the listing. Leave the rest to it.
      guard try runs.enlist(part, in: list) else { return list.run }
      part = []
    }
    if try runs.enlist(part, in: list) { _ = try runs.complete(list) }
    return list.run
  }

  /// Returns these paths if they are folders, and otherwise their parent folders.
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

  /// Returns the options that select files. The paths are reduced to a digest, because a shell's `*` can expand to tens
  /// of thousands.
  private func choice(_ paths: [FilePath]) -> [String] {
    let flags = [("hidden", options.includesHidden), ("follow-symlinks", options.followsSymlinks)]
    return ["paths " + sha256(of: Array(paths.map(\.rawBytes).joined(separator: [0])))]
      + options.include.map { "include " + $0 } + options.exclude.map { "exclude " + $0 }
      + flags.filter(\.1).map(\.0)
  }
}

extension ImportOrder.Source {
  /// Returns `true` if this machine can see the whole source.
  func isVisible() -> Bool {
    switch self {
    case .folders(let folders):
      folders.allSatisfy { folder in
        var status = stat()
        return Array(folder.path).withPath { stat($0, &status) } == 0
          && status.st_mode & S_IFMT == S_IFDIR
          && Int64(bitPattern: UInt64(status.st_ino)) == folder.inode
      }
    // Every worker process can reach object stores.
    case .objects: true
    }
  }
}
