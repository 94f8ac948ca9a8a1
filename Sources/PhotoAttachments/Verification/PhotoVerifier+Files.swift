extension PhotoVerifier {
  /// Verifies sizes, which are regenerated if they are missing, and files that no record refers to. This ensures that a
  /// name never refers to other bytes.
  func proveUnrecorded(_ ledger: VerifyLedger) async throws(StoreError) {
    for kind in BlobPath.Kind.allCases {
      for prefix in options.shard.prefixes {
        if Task.isCancelled { throw .cancelled }
        let places: [BlobPath]
        do throws(StoreError) {
          places = try await cache.runBlocking {
            kind == .size
              ? try cache.blobs.list(.shard(kind, prefix))
              : try findUnrecorded(kind, prefix: prefix)
          }
        } catch .storage(_, let path, _) {
          // Continue with the other folders if one cannot be read.
          ledger.report.isIncomplete = true
          try ledger.recordDamage(
            Damage(subject: .folder, findings: [.init(path: path, problem: .unreadable)]))
          continue
        }
        for place in places {
          let file = try await cache.runBlocking { try inspect(at: place) }
          switch file {
          case .missing, .sound: continue
          case .unsound where kind != .size: continue
          case .unsound, .other, .unreadable, .unavailable:
            let damage = try await lock { locked -> Damage? in
              if kind != .size, try locked.isReferenced(place) { return nil }
              return try finding(at: place, recorded: nil, locked).map {
                Damage(subject: .file(place), findings: [$0])
              }
            }
            if let damage { try ledger.recordDamage(damage) }
          }
        }
      }
    }
  }

  private func findUnrecorded(
    _ kind: BlobPath.Kind, prefix: String
  ) throws(StoreError) -> [BlobPath] {
    let places = try cache.blobs.list(.shard(kind, prefix))
    return places.isEmpty ? [] : try cache.catalog.selectUnreferenced(places)
  }

  /// Counts the files that `sweep` would delete and those that it must keep.
  func countRubbish(_ report: inout VerifyReport) async throws(StoreError) {
    let isYounger = try await cache.runBlocking { try cache.catalog.mayLackRecordsOfPictures() }
    let age = PhotoAge(cache.now(), grace: PhotoAttachmentCache.recordingGrace)
    for kind in BlobPath.Kind.allCases {
      for prefix in options.shard.prefixes {
        let places: [BlobPath]
        do throws(StoreError) {
          places = try await cache.runBlocking { try findUnrecorded(kind, prefix: prefix) }
        } catch .storage {
          continue  // already reported
        }
        for place in places {
          // If the store could not provide a picture, its age is unknown as well.
          if seen.answer(for: place) != nil { continue }
          guard let facts = try cache.blobs.facts(place), isYounger || age.isOld(facts.modified)
          else { continue }
          report.orphans += 1
          report.orphanBytes += facts.sizeBytes
        }
      }
    }
    report.leftovers = try await cache.runBlocking {
      try cache.removeUnfinished(of: options.shard, dryRun: true, isOld: age.isOld).files
    }
    if options.shard.isFirst {
      report.abandoned = try await cache.runBlocking { try cache.catalog.abandonedDrafts().count }
    }
    report.recordsLost = isYounger && report.orphans > 0
  }
}
