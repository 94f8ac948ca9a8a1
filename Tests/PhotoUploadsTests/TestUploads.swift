import Foundation
import PhotoAttachments
import Synchronization
import Testing

@testable import PhotoUploads

/// A folder of uploads for one test, deleted with this value, with a clock of its own.
final class TestUploads: Sendable {
  let path: String
  // Files have the system's time. The time is rounded because only whole seconds survive being written.
  private let moment = Mutex(
    Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)))

  init(at path: String? = nil) {
    self.path =
      path ?? FileManager.default.temporaryDirectory.path + "/petspot-uploads-\(UUID().uuidString)"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the store of a process that starts now.
  func store(
    limits: UploadLimits = UploadLimits(),
    changed: @escaping @Sendable (String) -> Void = { _ in }
  ) -> UploadRules {
    UploadRules(FolderUploads(UploadFolder(path: path, changed: changed)), limits: limits) {
      self.now
    }
  }

  var now: Date { moment.withLock { $0 } }
  func wait(_ seconds: TimeInterval) { moment.withLock { $0 += seconds } }

  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func write(_ bytes: [UInt8], to name: String, age: TimeInterval = 0) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: path + "/" + name))
    try FileManager.default.setAttributes(
      [.modificationDate: now.addingTimeInterval(-age)], ofItemAtPath: path + "/" + name)
  }

  /// Returns a copy of the folder's current state, as another process finds it after a kill.
  func copy() throws -> TestUploads {
    let copy = TestUploads()
    try FileManager.default.copyItem(atPath: path, toPath: copy.path)
    return copy
  }

  /// Returns bytes that differ from offset to offset.
  static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
  }
}

extension UploadRules {
  func create(_ length: Int, client: String = "::1") throws -> Upload {
    try create(owner: "draft:1", client: client, length: length, fileName: "cat.jpg")
  }

  func fetchUpload(_ token: String) throws -> Upload { try fetchUpload(token, owner: "draft:1") }

  func writer(
    _ token: String, at offset: Int, adding count: Int? = nil
  ) throws -> UploadWriter {
    let appending = try append(token, owner: "draft:1", at: offset, adding: count)
    guard case .writer(let writer) = appending else { throw UploadError.notFound }
    return writer
  }
}
