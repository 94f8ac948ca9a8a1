package import PhotoAttachments

/// What an import asks and records.
extension MemoryCatalog {
  package func looks(
    at files: [(path: [UInt8], identity: FileIdentity)]
  ) throws(StoreError) -> [SourceLook?] {
    try act { state in files.map { state.look(at: $0.path, $0.identity) } }
  }

  package func known(sha256: String) throws(StoreError) -> KnownSource? {
    try act { state in
      state.knowledge(sha256).map { KnownSource($0, blob: state.blob(of: $0)) }
    }
  }

  package func candidates(
    for pictures: [(SealedRecord.Pictures, perceptualHash: UInt64)]
  ) throws(StoreError) -> [[SealedRecord]] {
    try pictures.map { pictures, hash throws(StoreError) in
      try candidates(for: pictures, perceptualHash: hash)
    }
  }

  private func candidates(
    for pictures: SealedRecord.Pictures, perceptualHash: UInt64
  ) throws(StoreError) -> [SealedRecord] {
    try act { state in
      let alike = state.photos.filter { photo in
        state.library[photo.id] != nil && photo.text("blobSHA256") != pictures.blob.sha256
          && (photo.number("blobWidth") == pictures.blob.pixelWidth || fault == .twinsOfAnySize)
          && photo.number("blobHeight") == pictures.blob.pixelHeight
          && photo.number("blobFrameCount") == 1
      }
      let same = alike.filter { $0.text("previewSHA256") == pictures.preview.sha256 }
      let other = alike.filter {
        $0.text("previewSHA256") != pictures.preview.sha256 && $0.form != pictures.form
          && state.library[$0.id]?.hash == perceptualHash
      }
      return Array(same.prefix(4) + other.prefix(4))
    }
  }

  package func knowledge(of question: GroupQuestion) throws(StoreError) -> GroupKnowledge {
    try act { $0.knowledge(of: question) }
  }

  package func record(
    _ question: GroupQuestion,
    decide: (GroupKnowledge) throws(StoreError) -> GroupDecision,
    naming: (GroupDecision) throws(StoreError) -> Void
  ) throws(StoreError) -> GroupDecision {
    try act { state throws(StoreError) in
      let decision = try decide(state.knowledge(of: question))
      if fault == .namesBeforeChecks { try naming(decision) }
      try state.take(decision)
      if fault == .namesBeforeChecks { return decision }
      try naming(decision)
      return decision
    }
  }

  package func forLooks() throws(StoreError) -> any LibraryCatalog { self }
}
