import ImageContainers
import PhotoAttachments

@testable import petspot
import PhotoIngestion

extension PhotoError {
  /// One error of every case, several where the payload decides the words.
  static let samples: [PhotoError] = [
    .unsupportedFormat(detected: "image/tiff"), .unsupportedFormat(detected: "av01"), .empty,
    .corrupt(what: "png-chunk-crc"),
    .tooManyPixels(.pixels, actual: 900_000_000, limit: 220_000_000),
    .tooManyPixels(.side, actual: 40_000, limit: 32_768),
    .tooManyFrames(.frames, actual: 1_001, limit: 1_000),
    .tooManyFrames(.framePixels, actual: .max, limit: 250_000_000),
    .tooLarge(what: "file-bytes", actual: 600_000_000, limit: 536_870_912),
    .tooLarge(what: "scans", actual: 882, limit: 100), .unreadable(.system(errno: 2)),
    .unreadable(.system(errno: 13)), .unreadable(.system(errno: 5)),
    .unreadable(.notAFile(kind: "directory")), .unreadable(.notAFile(kind: "fifo")),
    .unreadable(.notAFile(kind: "socket")), .unreadable(.changed),
    .storageFull(operation: "write", path: "/cache/incoming/x", errno: 28),
    .storageFull(operation: "write", path: "/cache/incoming/x", errno: 122),
    .cacheUnavailable(path: "/cache", errno: 20),
    .unsafeCache(path: "/cache", reason: .owner(user: 65_534)),
    .unsafeCache(path: "/cache", reason: .writableByOthers),
    .unsafeCache(path: "/cache/database/catalog.sqlite", reason: .notAFile(kind: "symlink")),
    .storage(operation: "fsync", path: "/cache/blobs", errno: 5),
    .database(what: "newer-version", detail: "v9"), .database(what: "damaged", detail: "malformed"),
    .database(what: "altered-record", detail: "6F9619FF"),
    .database(what: "failed", detail: "disk I/O error"), .busy(seconds: 10), .interrupted,
    .timeout(seconds: 20), .missingPhoto, .fault(what: "product-size"),
    .fault(what: "blob-not-a-file"), .shortage(errno: 24), .crowded(seconds: 60),
    .fault(what: "decoder-answer"), .fault(what: "decoder-stack"),
    .corrupt(what: "decoder-crash"), .fault(what: "decoder-start"), .fault(what: "decoder-killed"),
    .fault(what: "sandbox-landlock"), .fault(what: "sandbox-seccomp"),
    .fault(what: "sandbox-limits"), .fault(what: "sandbox-threads"), .fault(what: "foreign-loader"),
  ]

  /// The number of this case. A new case has to be given one here, and samples above.
  var caseNumber: Int {
    switch self {
    case .unsupportedFormat: 0
    case .empty: 1
    case .corrupt: 2
    case .tooManyPixels: 3
    case .tooManyFrames: 4
    case .tooLarge: 5
    case .unreadable: 6
    case .storageFull: 7
    case .cacheUnavailable: 8
    case .storage: 9
    case .database: 10
    case .busy: 11
    case .interrupted: 12
    case .timeout: 13
    case .missingPhoto: 14
    case .fault: 15
    case .shortage: 16
    case .unsafeCache: 17
    case .crowded: 18
    }
  }

  static let caseCount = 19
}
