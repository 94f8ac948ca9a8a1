public import Foundation
import ImageContainers

/// What a proof of the stored photos found.
public struct VerifyReport: Sendable, Equatable {
  /// Photos looked at.
  public var checked = 0
  /// Photos whose blob or preview is not what was recorded.
  public var damaged = 0
  /// Photos whose blob or preview is gone.
  public var missing = 0
  /// One entry for each picture that failed, in the order of recording.
  public var findings: [Finding] = []

  /// A picture that failed its proof.
  public struct Finding: Sendable, Equatable {
    /// The photo it belongs to.
    public var photo: UUID
    /// Path below the cache folder.
    public var path: String
    /// What is wrong.
    public var problem: Problem
  }

  /// What can be wrong with a stored picture.
  public enum Problem: String, Sendable, Equatable {
    /// There is no such file.
    case missing
    /// The file has another size than recorded.
    case size
    /// The bytes are not those recorded.
    case digest
    /// The file cannot be read.
    case unreadable
    /// The container breaks a rule of its format.
    case structure
    /// Frames, width or height are not those recorded.
    case dimensions
    /// It holds something that is not the picture.
    case metadata
  }
}

extension PhotoAttachmentCache {
  /// Proves stored photos again: every blob and preview is read, digested and walked. Nothing is
  /// changed.
  ///
  /// - Parameter all: every photo on record, or only those that drafts show. With `all` the catalog
  ///   itself is checked first.
  /// - Throws: `PhotoError.database("damaged")` when the catalog is; `.interrupted`.
  public func verify(all: Bool = false) async throws(PhotoError) -> VerifyReport {
    var report = VerifyReport()
    if all { try await run { [self] in try catalog.checkIntegrity() } }
    var last: Int64 = 0
    while true {
      let start = last
      let photos = try await run { [self] in
        try catalog.read { try PhotoRow.page($0, after: start, limit: 64, attachedOnly: !all) }
      }
      guard let end = photos.last?.sequence else { return report }
      last = end
      for photo in photos {
        // A photo may be removed while we look; then it is not missing.
        let findings = try await run { [self] in try prove(photo) }
        report.checked += 1
        if findings.contains(where: { $0.problem == .missing }) {
          report.missing += 1
        } else if !findings.isEmpty {
          report.damaged += 1
        }
        report.findings += findings
      }
    }
  }

  private func prove(_ row: PhotoRow) throws(PhotoError) -> [VerifyReport.Finding] {
    let photo = try row.metadata(in: folder)
    var findings: [VerifyReport.Finding] = []
    for picture in [photo.blob, photo.preview] {
      guard let problem = problem(with: picture) else { continue }
      findings.append(.init(photo: photo.id, path: picture.path, problem: problem))
    }
    if findings.isEmpty { return [] }
    return try self.photo(id: photo.id) == nil ? [] : findings
  }

  /// What is wrong with a stored picture, nil when nothing is.
  private func problem(with picture: StoredPicture) -> VerifyReport.Problem? {
    guard let place = BlobPath(relativePath: picture.path) else { return .missing }
    let bytes: [UInt8]
    do throws(PhotoError) {
      bytes = try blobs.read(place)
    } catch {
      return error == .missingPhoto ? .missing : .unreadable
    }
    guard bytes.count == picture.sizeBytes else { return .size }
    guard sha256(of: bytes) == picture.sha256 else { return .digest }
    do throws(ContainerError) {
      let facts = try ImageContainer.walk(bytes, as: picture.format, limits: policy.limits)
      if !facts.parts.isEmpty { return .metadata }
      let isAsRecorded =
        facts.uprightWidth == picture.pixelWidth && facts.uprightHeight == picture.pixelHeight
        && facts.frameCount == picture.frameCount
      return isAsRecorded ? nil : .dimensions
    } catch {
      return .structure
    }
  }
}
