import ImageContainers
import PhotoIngestion
package import PhotoModel

extension StoreError {
  /// At least one error of every case, and several if the payload determines the message.
  package static let samples: [StoreError] =
    [
      .storageFull(operation: "write", path: "/cache/incoming/x", errno: 28),
      .storageFull(operation: "write", path: "/cache/incoming/x", errno: 122),
      .cacheUnavailable(path: "/cache", errno: 20),
      .unsafeCache(path: "/cache", reason: .owner(user: 65_534)),
      .unsafeCache(path: "/cache", reason: .writableByOthers),
      .unsafeCache(path: "/cache/database/catalog.sqlite", reason: .notAFile(kind: "symlink")),
      .storage(operation: "fsync", path: "/cache/blobs", errno: 5),
      .database(.otherVersion, detail: "v9"),
      .database(.damaged, detail: "malformed"),
      .database(.alteredRecord, detail: "6F9619FF"),
      .database(.otherBlobs, detail: "s3://pets/"), .database(.otherRecords, detail: "/cache"),
      .database(.failed, detail: "disk I/O error"), .database(.closed, detail: ""),
      .busy(seconds: 10), .cancelled,
      .busy(seconds: 10, service: "PostgreSQL at db:5432/petspot"),
      .unreachable(service: "PostgreSQL at db:5432", detail: "Connection refused"),
      .overloaded(service: "S3 bucket pets at http://s3", detail: "HTTP 503, SlowDown"),
      .serviceFailed(service: "S3 bucket pets at http://s3", detail: "HTTP 403, AccessDenied"),
      .backup(.damaged, path: "/backup/snapshots/x"), .backup(.damagedMarker, path: "/backup/m"),
      .backup(.noBackup, path: "/backup"),
      .backup(.vanished, path: "/backup"), .backup(.inCache, path: "/cache/backup"),
      .backup(.asCache, path: "/backup"), .backup(.otherVersion, path: "/backup/petspot-backup"),
      .backup(.noSnapshot, path: "/backup"), .backup(.notABackup, path: "/backup"),
      .backup(.inUse, path: "/backup"), .backup(.notEmpty, path: "/cache"),
      .backup(.elsewhere, path: "/backup"),
      .missingPhoto, .superseded, .removed, .onlyCopies(photos: ["6F9619FF", "7A"]),
      .unreachable(service: "PostgreSQL at db:5432/petspot", detail: "Connection refused"),
      .database(.otherVersion, detail: "PostgreSQL at db:5432/petspot"),
      .database(.failed, detail: "PostgreSQL at db:5432/petspot: permission denied"),
      .database(.noAddress, detail: ""), .fault(.blobNotAFile), .fault(.blobDamaged),
      .fault(.blobVanished),
    ] + PhotoError.samples.map(StoreError.init)

  /// The number of this case. A new case needs a number here and a sample above.
  package var caseNumber: Int {
    switch self {
    case .photo(let error): error.caseNumber
    case .storageFull: 11
    case .cacheUnavailable: 12
    case .storage: 13
    case .database: 14
    case .busy: 15
    case .cancelled: 16
    case .missingPhoto: 17
    case .unsafeCache: 18
    case .superseded: 19
    case .removed: 20
    case .unreachable: 21
    case .overloaded: 22
    case .serviceFailed: 23
    case .backup: 25
    case .onlyCopies: 26
    case .fault: PhotoError.fault(.size).caseNumber
    }
  }

  /// All numbers, including those of `PhotoError` except the one for a cancelled photo, which becomes a `StoreError` of
  /// its own.
  package static let caseNumbers = Set(0..<27).subtracting([PhotoError.cancelled.caseNumber])
}

extension PhotoError {
  package static let samples: [PhotoError] = [
    .unsupportedFormat(detected: "image/tiff"), .unsupportedFormat(detected: "av01"), .empty,
    .corrupt(what: "png-chunk-crc"), .incomplete(what: "jpeg-data", percentShown: 49),
    .incomplete(what: "jpeg-data", percentShown: nil),
    .tooManyPixels(.pixels, actual: 900_000_000, limit: 220_000_000),
    .tooManyPixels(.side, actual: 40_000, limit: 32_768),
    .tooLarge(.fileBytes, actual: 600_000_000, limit: 536_870_912),
    .tooLarge(.scans, actual: 882, limit: 100), .unreadable(.system(errno: 2)),
    .unreadable(.system(errno: 13)), .unreadable(.system(errno: 5)),
    .unreadable(.notAFile(kind: "directory")), .unreadable(.notAFile(kind: "fifo")),
    .unreadable(.notAFile(kind: "socket")), .unreadable(.changed), .timeout(seconds: 20),
    .unverified(what: "size"), .shortage(errno: 24),
    .fault(.decoderAnswer), .fault(.decoderStack),
    .decoderCrash, .fault(.decoderStart), .fault(.decoderKilled),
    .fault(.sandboxLandlock), .fault(.sandboxSeccomp),
    .fault(.sandboxLimits), .fault(.sandboxThreads), .fault(.foreignLoader),
    .fault(.heifLoader),
    .cancelled,
  ]

  package var caseNumber: Int {
    switch self {
    case .unsupportedFormat: 0
    case .empty: 1
    case .corrupt: 2
    case .incomplete: 3
    case .tooManyPixels: 4
    case .tooLarge: 5
    case .unreadable: 6
    case .timeout: 7
    case .fault: 8
    case .shortage: 9
    case .cancelled: 10
    case .unverified: 24
    }
  }
}
