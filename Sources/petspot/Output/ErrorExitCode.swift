import PhotoAttachments
import PhotoIngestion

extension PhotoError {
  /// The exit code of a command that ends in this error (sysexits, 130 for an interruption).
  var exitCode: Int32 {
    switch self {
    case .unsupportedFormat, .empty, .corrupt, .incomplete, .tooManyPixels, .tooLarge,
      .timeout:
      65
    case .unreadable: 66
    // Nothing decodes on this machine as it is.
    case .fault(what: "decoder-start"), .fault(what: "decoder-stack"),
      .fault(what: "foreign-loader"):
      69
    // What a limit of this process keeps from working, works when it is raised.
    case .fault(what: "decoder-killed"), .fault(what: "sandbox-limits"), .shortage: 75
    case .fault(let what) where what.hasPrefix("sandbox-"): 69
    case .fault: 70
    case .cancelled: 130
    }
  }
}

extension StoreError {
  /// The exit code of a command that ends in this error (sysexits, 130 for an interruption).
  var exitCode: Int32 {
    switch self {
    case .photo(let error): error.exitCode
    case .missingPhoto: 66
    case .cacheUnavailable, .unsafeCache: 73
    // A catalog that cannot be used is a matter of the disk, not of our code.
    case .storageFull, .storage, .database, .serviceFailed: 74
    case .fault: 70
    case .unreachable: 69
    case .busy, .overloaded: 75
    case .cancelled, .superseded, .removed: 130
    }
  }
}
