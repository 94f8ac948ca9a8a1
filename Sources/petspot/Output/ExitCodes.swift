import Announcements
import PhotoModel

// The exit codes of commands that fail (sysexits; 130 for an interruption).

extension PhotoError.Blame {
  /// The exit code for an error without its own.
  fileprivate var exitCode: Int32 {
    switch self {
    case .photo: 65
    case .caller: 66
    case .us: 74
    }
  }
}

extension PhotoError {
  /// The exit code of a command that fails with this error.
  package var exitCode: Int32 {
    switch self {
    case .shortage: 75
    case .cancelled: 130
    case .fault(let fault): fault.exitCode
    case .unverified: 70
    default: blame.exitCode
    }
  }
}

extension PhotoError.Fault {
  fileprivate var exitCode: Int32 {
    switch self {
    // This machine can't decode any photo, or can't decode one of the formats.
    case .decoderStart, .decoderStack, .foreignLoader, .heifLoader, .sandboxLandlock,
      .sandboxSeccomp, .sandboxThreads:
      69
    // A retry can succeed, after this process got a higher limit or because nothing kills the decoder this time.
    case .decoderKilled, .sandboxLimits: 75
    default: 70
    }
  }
}

extension StoreError {
  /// The exit code of a command that fails with this error.
  package var exitCode: Int32 {
    switch self {
    case .photo(let error): error.exitCode
    case .onlyCopies: 65
    case .cacheUnavailable, .unsafeCache: 73
    case .busy, .overloaded: 75
    case .unreachable: 69
    case .backup(let problem, _): problem.exitCode
    case .cancelled, .superseded, .removed: 130
    case .fault: 70
    default: blame.exitCode
    }
  }
}

extension StoreError.BackupProblem {
  fileprivate var exitCode: Int32 {
    switch self {
    case .damaged, .damagedMarker, .otherStore: 65
    case .noSnapshot, .noBackup: 66
    case .otherVersion: 69
    case .notABackup, .vanished, .inCache, .asCache, .notEmpty: 73
    case .inUse, .restoring, .otherRestore: 75
    case .elsewhere: 64
    }
  }
}

extension AnnouncementError {
  /// The exit code of a command that fails with this error.
  var exitCode: Int32 {
    switch self {
    case .invalid, .wrongPassword, .missingPhoto, .duplicateMicrochip, .idempotencyMismatch: 65
    case .notFound, .closed, .takenDown: 66
    case .throttled, .spaceUsedUp, .keyTaken: 75
    case .locationRequired: 64
    case .unavailable: 69
    }
  }
}
