package import SystemPackage

/// How much an import has to do, for a progress bar.
package struct ImportSurvey: Sendable, Equatable {
  /// Inputs that will have an outcome.
  package var files = 0
  /// Bytes of the regular files among them.
  package var bytes = 0
}

extension PhotoImporter {
  /// Counts what an import of these paths would come upon; opens no file.
  package func survey(_ paths: [FilePath]) async -> ImportSurvey {
    // A survey throws nothing, whatever the signature of the pool's work says.
    (try? await cache.run { [self] in survey(paths) }) ?? ImportSurvey()
  }

  /// Counts files and bytes below paths, as an import would find them. Blocks.
  package func survey(_ paths: [FilePath]) -> ImportSurvey {
    let walk = FolderWalk(paths, options: options, cache: cache.folder)
    var survey = ImportSurvey()
    while let entry = walk.next() {
      survey.files += 1
      if case .file(let file, _) = entry { survey.bytes += file.identity.size }
    }
    return survey
  }
}
