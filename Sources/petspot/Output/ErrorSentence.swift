import ImageContainers
import ReportFlow
import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

extension PhotoError {
  /// One English line: what happened, to which file, what to do next.
  func sentence(about path: FilePath?) -> String {
    let file = path.map { $0 == "-" ? "Standard input" : DisplayText.path($0) } ?? "The photo"
    switch self {
    case .unsupportedFormat(let detected):
      return "\(file) is \(MediaTypeWords.noun(for: detected, in: Words(.en))). "
        + "PetSpot takes JPG, PNG, HEIC, GIF and WEBP; save it as one of these and try again."
    case .empty where path == "-":
      return "Standard input is empty. Give it a photo: petspot attach - --name NAME < FILE"
    case .empty:
      return
        "\(file) is empty (0 bytes). Copy it again from where it came, or choose another photo."
    case .corrupt(what: "decoder-crash"):
      return "\(file) crashes the decoder, so it was refused; nothing else was affected. Save it "
        + "again with a photo program, or choose another photo."
    case .corrupt(let what):
      return "\(file) is damaged: \(KindWords.damage(what)). Copy it again from where it came, or "
        + "choose another photo."
    case .tooManyPixels(let limit, let actual, let allowed),
      .tooManyFrames(let limit, let actual, let allowed):
      return "\(file) has \(Amounts.count(actual, of: limit.rawValue)); the limit is "
        + "\(Amounts.number(allowed)). Make it smaller and try again."
    case .tooLarge(let what, let actual, let allowed):
      return "\(file) has \(Amounts.count(actual, of: what)); the limit is "
        + "\(Amounts.limit(allowed, of: what)). Save it again with a photo program, or choose another "
        + "photo."
    case .unreadable(let reason):
      var status = stat()
      let isFolder =
        path.map { $0.withPlatformString { stat($0, &status) } == 0 } ?? false
        && status.st_mode & S_IFMT == S_IFDIR
      return reason.sentence(about: file, isFolder: isFolder)
    case .shortage(let errno):
      let what = path == nil ? "PetSpot could not continue" : "\(file) could not be processed"
      return "\(what): \(Amounts.reason(errno)). \(Amounts.remedy(errno)) and try again; what was "
        + "stored before is safe."
    case .cancelled: return StoreError.cancelled.sentence(about: path)
    case .timeout(let seconds):
      return
        "\(file) took longer than \(seconds) s to read. Save it again with a photo program, or "
        + "choose another photo."
    case .fault(what: "blob-damaged"):
      return "\(file) is stored but its bytes are damaged on the disk. Attach the photo again, and "
        + "look for more damage with: petspot verify"
    case .fault(what: "blob-not-a-file"):
      return
        "\(file) is stored, but its picture was replaced by something that is not a file (a pipe, "
        + "a folder, a link). Repair it with: petspot verify --all --repair"
    case .fault(let what):
      return DecoderWords.sentence(what, file)
        ?? "\(file): PetSpot made a mistake (\(what)). Nothing was stored; please report this with "
        + "the photo's kind and what you did."
    }
  }
}

extension StoreError {
  /// One English line: what happened, to which file, what to do next.
  func sentence(about path: FilePath?) -> String {
    switch self {
    case .photo(let error): return error.sentence(about: path)
    case .missingPhoto:
      guard let path else {
        return "There is no photo here. Attach one with: petspot attach FILE"
      }
      return "There is no photo \(DisplayText.path(path)). List your photos with: "
        + "petspot list"
    case .storageFull(_, let target, EFBIG):
      return
        "The limit on the size of files is reached: \(ReadableText.escaped(target)) could not be "
        + "written. \(Amounts.remedy(EFBIG)) and try again; photos stored before are safe."
    case .storageFull(_, let target, let errno):
      let full = errno == EDQUOT ? "Your disk quota is used up" : "The disk is full"
      return "\(full): \(ReadableText.escaped(target)) could not be written. Free some space and "
        + "try again; photos stored before are safe."
    case .cacheUnavailable(let target, let errno):
      return "The cache folder \(ReadableText.escaped(target)) cannot be used: "
        + "\(Amounts.reason(errno)). Choose another with --cache DIR or PETSPOT_CACHE."
    case .unsafeCache(let target, let reason): return reason.sentence(about: target)
    case .storage(let operation, let target, let errno):
      return "\(ReadableText.escaped(target)): \(operation) failed: \(Amounts.reason(errno)). "
        + "\(Amounts.remedy(errno)) and try again; photos stored before are safe."
    case .database(what: "newer-version", let server)
    where server.hasPrefix("PostgreSQL at "):
      return
        "The tables of \(ReadableText.escaped(server)) were made by a newer PetSpot. Update PetSpot, "
        + "or name another database with --database URL; nothing was changed."
    case .database(what: "no-address", _):
      return "This is not a database address. Write it as postgresql://USER@HOST:PORT/NAME and try "
        + "again."
    case .database(what: "newer-version", _):
      return "The cache was written by a newer PetSpot. Update PetSpot, or choose another folder "
        + "with --cache DIR; nothing was changed."
    case .database(what: "other-blobs", let detail):
      return
        "The pictures of these records are stored at \(DisplayText.name(detail)), not at the given "
        + "address. Name that store with --blobs URL, or other records with --database URL or "
        + "--cache DIR; nothing was changed."
    case .database(what: "damaged", let detail):
      return "The catalog of the cache is damaged (\(DisplayText.name(detail))). Nothing was "
        + "changed; restore it from a backup, or choose another folder with --cache DIR."
    case .database(what: "altered-record", let detail):
      return "A photo's record was changed from outside PetSpot (\(DisplayText.name(detail))). "
        + "Nothing was changed; repair it with: petspot verify --all --repair"
    case .database(_, let detail) where detail.hasPrefix("PostgreSQL at "):
      return
        "The database cannot be used (\(ReadableText.escaped(detail))). Ask its administrator, "
        + "and try again; photos stored before are safe."
    case .database(_, let detail):
      return
        "The catalog of the cache cannot be used (\(DisplayText.name(detail))). Check the disk "
        + "and try again; photos stored before are safe."
    case .busy(let seconds, let service?):
      return
        "\(ReadableText.escaped(service)) is busy (waited \(seconds) s). Try again in a "
        + "moment; photos stored before are safe."
    case .busy(let seconds, nil):
      return
        "Another PetSpot process is using the cache (waited \(seconds) s). Try again when it has finished."
    case .unreachable(let service, let detail):
      return
        "\(ReadableText.escaped(service)) cannot be reached (\(ReadableText.escaped(detail))). Check "
        + "that it runs and its address is right, and try again; photos stored before are safe."
    case .overloaded(let service, let detail):
      return
        "\(ReadableText.escaped(service)) is too busy (\(ReadableText.escaped(detail))). Try again in "
        + "a moment; photos stored before are safe."
    case .serviceFailed(let service, let detail):
      return "\(ReadableText.escaped(service)) failed "
        + "(\(ReadableText.escaped(detail))). Check its keys and rights, and try again; photos stored "
        + "before are safe."
    case .cancelled: return "Interrupted; nothing was changed. Run the command again to continue."
    case .superseded:
      return "Another photo was attached to the draft while this one was being read, and stays. "
        + "Attach this one again if it is the right one."
    case .removed:
      return
        "The photo was removed from the draft while it was being read; nothing was stored. Attach it "
        + "again if you want it."
    }
  }
}

extension StoreError.Distrust {
  /// What is wrong with the cache, whose it is, and what to do.
  fileprivate func sentence(about path: String) -> String {
    let target = ReadableText.escaped(path)
    let other = "or choose another cache with --cache DIR or PETSPOT_CACHE; nothing was touched."
    switch self {
    case .owner(let user):
      let you = Amounts.user(Int(geteuid()))
      return
        "\(target) belongs to \(Amounts.user(user)) and not to you, \(you), so the cache is not "
        + "used. Run PetSpot as its owner, \(other)"
    case .writableByOthers:
      return "\(target) can be written to by others and holds more than a cache, so it is not "
        + "used. Close it to others (chmod go-w \(target)), \(other)"
    case .notAFile(let kind):
      let thing = kind == "symlink" ? "symbolic link" : kind
      return
        "\(target) is a \(thing) and not a file of the cache, so the cache is not used. Remove "
        + "it, \(other)"
    }
  }
}

extension PhotoError.UnreadableReason {
  /// What keeps an input from being read, and what to do.
  fileprivate func sentence(about file: String, isFolder: Bool) -> String {
    switch self {
    case .system(ENOENT): "There is no file \(file). Check the name and try again."
    case .system(EACCES), .system(EPERM):
      // A folder has to be entered, too.
      "\(file) can't be read: permission denied. Change its permissions (chmod "
        + (isFolder ? "u+rx" : "u+r") + ") and try again."
    case .system(let errno) where [EMFILE, ENFILE, ENOMEM].contains(errno):
      "\(file) was not read: \(Amounts.reason(errno)). \(Amounts.remedy(errno)) and try again."
    case .system(let errno):
      "\(file) cannot be read: \(Amounts.reason(errno)). Check the file and try again."
    case .notAFile(kind: "directory"):
      "\(file) is a folder. Name a photo inside it."
    case .notAFile(kind: "fifo"):
      "\(file) is a named pipe. To read from a pipe use: petspot attach - --name NAME < \(file)"
    case .notAFile(let kind):
      "\(file) is \(KindWords.noun(kind)), not a photo. Name a regular file."
    case .changed:
      "\(file) changed while it was being read. Wait until it is completely written and try again."
    }
  }
}
