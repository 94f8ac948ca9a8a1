package import SystemPackage

/// The amount of work of an import, for a progress bar.
package struct ImportSurvey: Sendable, Equatable {
  /// The number of inputs.
  package var files = 0
  /// The total size of the regular files in bytes.
  package var bytes = 0
}

extension PhotoImporter {
  /// Counts the inputs of an import of these paths without opening a file.
  package func survey(_ paths: [FilePath]) async -> ImportSurvey {
    // The survey itself doesn't throw, although the pool's signature allows it.
    (try? await cache.runBlocking { [self] in survey(paths) }) ?? ImportSurvey()
  }

  /// Counts files and bytes below paths as an import would find them. Blocks.
  package func survey(_ paths: [FilePath]) -> ImportSurvey {
    ImportSurvey(of: paths, options: options, cache: cache.folder)
  }
}

extension ImportSurvey {
  /// Counts files and bytes below paths. Blocks.
  package init(of paths: [FilePath], options: ImportOptions, cache: CacheFolder) {
    // If the cache can't be listed, the import itself ends with that error.
    guard let walk = try? FolderWalk(paths, options: options, cache: cache) else { return }
    while let entry = walk.next() {
      files += 1
      if case .file(let file, _) = entry { bytes += file.identity.size }
    }
  }
}
