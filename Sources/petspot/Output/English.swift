import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow

extension Text {
  /// `1 file`, `1,204 files`.
  fileprivate static func count(_ count: Int, _ noun: String) -> String {
    "\(Amounts.number(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// What a limit bounds.
  private static func englishNoun(_ what: String) -> String {
    switch what {
    case "pixels": "pixels"
    case "side": "pixels on its longer side"
    case "file-bytes": "data"
    case "memory": "memory to decode"
    case "application-bytes", "ancillary-bytes": "metadata"
    case "chunk-bytes": "data in one chunk"
    case "box-depth": "levels of nested boxes"
    default: what
    }
  }

  var english: String {
    switch self {
    case .groupCache: "Cache"
    case .groupMachines: "Several machines"
    case .groupPhotos: "Photos"
    case .groupReport: "Report"
    case .groupAttachment: "Attachment"
    case .petspotHelp:
      """
      Takes JPG, PNG, HEIC, GIF and WEBP. Every command has --json for programs. For Tab \
      completion of commands, options and values, run: source <(petspot \
      --generate-completion-script bash) (or zsh, fish). This is also in the manual: man petspot \
      (built by Scripts/make-manual).
      """
    case .petspotAbstract:
      """
      Turn a pet's photo into one that every browser shows, without metadata, and report the pet \
      missing.
      """
    case .optionTwice(let argument):
      "\(argument) was given twice, but takes only one value. Give it once."
    case .notAShard: "Write a part as 2/4: its number and the number of parts (up to 256)."
    case .optionShard: "Do only part I of N, when N machines share the work."
    case .serveSizeSpace:
      """
      Disk space for resized copies of photos, which can be made again (default: 5 GB); the \
      least recently used are deleted first.
      """
    case .optionJobs: "How many photos to work on at a time (default: one per core)."
    case .folderPathNotUTF8: "The path of a folder has to be UTF-8."
    case .emptyPath: "A path can't be empty."
    case .fileAddress(let address, let path):
      "\(address) is an address. Give the path instead: \(path)"
    case .webAddress(let address):
      "\(address) is an address, and PetSpot takes paths. Download the file first, then give its path."
    case .optionDraft: "The report the photo belongs to."
    case .notADatabaseAddress:
      """
      A database's address begins with postgresql://, such as \
      postgresql://petspot@db.example.org:5432/petspot.
      """
    case .optionVerbose: "Print details, and log to standard error."
    case .optionQuiet: "Print nothing but errors."
    case .optionJson: "Print only JSON, for programs."
    case .optionBlobs:
      """
      Keep pictures in this S3-compatible store instead of the cache folder, as in \
      s3://BUCKET/PREFIX?endpoint=URL&region=NAME (or set PETSPOT_BLOBS); the keys come from \
      AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
      """
    case .optionDatabase:
      """
      Keep records in this PostgreSQL database instead of the cache folder (or set \
      PETSPOT_DATABASE, which hides a password from other users).
      """
    case .optionCache:
      "Keep photos in this folder instead of the user's cache folder (or set PETSPOT_CACHE)."
    case .announcementID: "The announcement's ID; on this machine, its beginning is enough."
    case .bucketImportedAlone:
      "Import an s3:// address by itself, and the other paths with another command."
    case .interrupted: "Interrupted."
    case .codeMissing: "Give the code with --password-file FILE (- for standard input)."
    case .closePasswordFile: "A file whose first line is the code, or - for standard input."
    case .closePassword:
      """
      The code that report submit printed; other users of this machine can see it in the process \
      list. If you leave it out, you're asked for it at the terminal.
      """
    case .notAPhotoID(let argument, let shortest):
      "No photo has an ID starting with \"\(argument)\" (type at least \(shortest) characters)"
    case .notASize(let text):
      "A size is a number of bytes, at least 1, such as 20000000, 20MB or 20MiB, not \(text)."
    case .notALanguage: "The language has to be en or pl."
    case .optionLanguage: "The language of the texts: en or pl (default: the environment's)."
    case .notAServerAddress:
      """
      A server's address begins with http:// or https:// and a host, and has no password in it, \
      such as https://pets.example.org.
      """
    case .optionServer:
      "Use the announcements of this server instead of this machine's (or set PETSPOT_SERVER)."
    case .sizesNotMade(let id):
      "The resized copies of \(id) weren't made now; they'll be made when they're needed."
    case .seeHelp(let help): " See: \(help)"
    case .optionNeeds(let one, let other): "\(one) needs \(other)."
    case .optionsTogether(let one, let other): "Use \(one) and \(other) together."
    case .optionsExclusive(let one, let other): "\(one) and \(other) can't be combined."
    case .optionBelowOne(let option): "\(option) has to be 1 or more."
    case .onStoreOnly(let option):
      "\(option) works on the store itself: leave out --server and unset PETSPOT_SERVER."
    case .eraseOperator:
      "Erase the announcement as the operator of this store, without the owner's code."
    case .eraseHelp:
      """
      Works on open, closed and hidden announcements. Nothing is left but the original photo, \
      wherever that is, and the photo's copy in the library if you imported it. --operator needs \
      no code, only access to the store, and is logged.
      """
    case .eraseAbstract: "Delete an announcement with its contact details and photo."
    case .closeHelp:
      """
      It's fine to close an announcement twice. After several wrong codes you have to wait \
      before the next attempt. The contact details stay stored with the announcement; to delete \
      them as well, use petspot announcements erase.
      """
    case .closeAbstract: "Close an announcement: it disappears from every list for good."
    case .rangeNotPositive: "--range has to be more than 0 km."
    case .nearestNeedsNear: "--range and --sort nearest need --near LAT,LON."
    case .announcementsListHidden:
      "For the operator: only hidden announcements, with the reasons; the last changed come first."
    case .announcementsListSort: "The order; nearest needs --near."
    case .announcementsListRange: "Only announcements within this distance; needs --near."
    case .announcementsListNear: "Your position, to show distances."
    case .notAPosition:
      """
      Give latitude from -90 to 90 and longitude from -180 to 180, such as 52.2297,21.0122.
      """
    case .announcementsListLimit: "Show at most this many."
    case .announcementsListAbstract: "Show the announcements, newest first."
    case .announcementsCommandHelp:
      """
      Without a subcommand, it lists announcements and takes --limit N, --near LAT,LON, --range \
      KM, --sort newest|oldest|nearest, --server URL and --cache DIR; see petspot announcements \
      list --help.
      """
    case .announcementsCommandAbstract:
      "List, show, close, erase and hide announcements of missing pets."
    case .unhideHelp:
      """
      If its owner closed it in the meantime, it stays closed. If another open announcement has \
      the same microchip number, it stays hidden. It's fine to unhide one that isn't hidden. \
      This is logged.
      """
    case .unhideAbstract: "Make a hidden announcement visible again."
    case .reasonLength: "--reason has to be 1 to 500 characters long."
    case .hideReason: "Why, in up to 500 characters; for operators only."
    case .hideHelp:
      """
      For the operator of the store; needs no code. The announcement disappears from every list, \
      its photo is no longer served, visitors see that it was taken down, and another \
      announcement can use its microchip number. Its owner can still close or erase it, but not \
      edit it. The reason is for operators only; petspot announcements show prints it. Hiding it \
      again replaces the reason. This is logged.
      """
    case .hideAbstract: "Hide an announcement, as the operator."
    case .announcementsShowNear: "Your position, to show the distance."
    case .announcementsShowHelp:
      """
      Draws the photo if the terminal can. The reporter's email address and the microchip number \
      are never shown.
      """
    case .announcementsShowAbstract: "Show an announcement in full, with its photo."
    case .attachNothing: "Give a photo file or a library photo (--asset ID), not both."
    case .attachName: "The photo's name when it comes from standard input (default: animal-photo)."
    case .attachAsset: "A library photo; see petspot import."
    case .attachFile: "The photo, or - for standard input."
    case .attachHelp:
      """
      Turns the photo upright, converts it to sRGB, removes all metadata and stores it. The \
      previous photo stays attached until the new one is ready. Your original is never changed.
      """
    case .attachAbstract: "Attach a photo to a report."
    case .continueFine: "The photo is fine. Next: the description."
    case .continueMissing: "Attach one with: petspot attach FILE"
    case .continueHelp:
      "Exits with 0 if a photo is attached and its stored file is intact, otherwise with 65."
    case .continueAbstract: "Continue from the photo step; needs a valid photo."
    case .doctorNoSeccomp: ", no seccomp"
    case .doctorNoLandlock: "no Landlock"
    case .doctorNoLoaders: "none"
    case .doctorNoProblems: "No problems found."
    case .doctorHelp:
      """
      Exits with 69 if something is missing, and says how to install it; with --database and \
      --blobs also if the database or the store can't be used. It tests the store with a small \
      object, which it deletes again.
      """
    case .doctorAbstract: "Check that this machine has what PetSpot needs."
    case .exportNoSuchSize(let size): "--size takes 320, 640, 960, 1280 or 1920, not \(size)."
    case .exportSize: "Export a JPEG of at most this size."
    case .exportDirectory: "The folder; created if it's missing."
    case .exportIds: "The photos' IDs; see petspot list."
    case .exportHelp:
      """
      Copies the stored photo after checking its digest. Files are never overwritten: a copy \
      whose name is taken gets a number. With --size the copy is a JPEG of at most that many \
      pixels on its longer side: 320, 640, 960, 1280 or 1920.
      """
    case .exportAbstract: "Copy photos out of the cache into a folder."
    case .forgotten: "Removed from the library: "
    case .forgetKept(let name): "\n  the report \(name) keeps its picture"
    case .forgetIds: "Library photos' IDs; see petspot list."
    case .forgetHelp:
      """
      Your original isn't changed. Later imports skip it, and so does a move from a copy of the \
      library; petspot import --again imports it again. A report with this photo keeps its \
      picture, but no longer refers to the library.
      """
    case .forgetAbstract: "Remove photos from the library."
    case .noWorker(let id):
      """
      No worker is running for run \(id). Start workers where its folders are, with the same \
      --database and --blobs: petspot worker
      """
    case .workersGoOn(let run):
      "Workers continue with run \(run); follow it with: petspot runs \(run)"
    case .nothingDone: "Nothing was done."
    case .moveSourceInside:
      "--move-source needs a folder outside the imported ones and outside every photo cache."
    case .originalsNeedYes:
      """
      Without a terminal, --delete-source and --move-source need --yes. Nothing was read; \
      --dry-run shows what would be done.
      """
    case .originalsOnlyInCache(let folder):
      """
      The photos would be kept in \(folder), which is in your cache folder, where cleaning programs \
      delete files: with the originals gone, nothing would be left. Choose another folder with \
      --cache DIR or PETSPOT_CACHE.
      """
    case .reportKind: "--report takes a name that ends in .html, .json or .csv."
    case .importDistribute:
      "Write the import to the database and let workers do it (see petspot worker)."
    case .importYes: "Don't ask before deleting or moving originals; needed without a terminal."
    case .importDeleteLossySource:
      """
      With --delete-source or --move-source: also originals that hold more than their stored \
      photo, but none whose end or frames are missing.
      """
    case .importMoveSource: "Move originals to this folder instead of deleting them."
    case .importDeleteSource:
      "Delete each original once its stored photo has been read back and verified."
    case .importReport: "Write a report; the file's extension decides its format."
    case .importSizes: "Make all resized copies of the imported photos now instead of on first use."
    case .importAgain: "Also import files whose photos were removed from the library."
    case .importRetryRefused: "Recheck unchanged files that were refused before."
    case .importMaxErrors: "Stop after this many failed files."
    case .importFollowOutside: "Follow symbolic links that lead out of the given folders as well."
    case .importFollowSymlinks: "Follow symbolic links that stay within the given folders."
    case .importHidden: "Import hidden files and folders, too."
    case .importExclude: "Skip files and folders that match."
    case .importInclude:
      """
      Only files whose name matches; a pattern with a slash is matched against the path in the \
      folder.
      """
    case .importDryRun:
      "Show what would be done without storing anything; nothing is decoded, so it's quick."
    case .importPaths: "Folders and photos, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME."
    case .importHelp:
      """
      Walks the folders and imports every photo it finds. A file that was imported before and \
      hasn't changed isn't read again, and a bad file never stops the rest. Ctrl-C finishes the \
      current files; run the command again to resume.

      Originals stay untouched unless you ask for --delete-source or --move-source. Both keep \
      every original that holds more than its stored photo (motion video, depth map, second \
      picture, animation, more than 8 bits, colors outside sRGB, CMYK), or whose pixels are \
      already stored from another file, and say so; --delete-lossy-source takes these, too. An \
      original whose end is missing, or frames of its animation, always stays: it may be a part \
      of a longer file. Both need --yes without a terminal, and a cache (--cache) outside your \
      cache folder, which cleaning programs empty. A \
      picture that was re-encoded because it had to be turned or is HEIC counts as complete, and \
      removed metadata isn't counted as a loss. Under DIR, moved originals keep their place \
      relative to the imported path. Nothing in a photo cache is ever imported or deleted. A run \
      that is killed while it deletes may leave an original as .petspot-delete-…-NAME; the next \
      one with --delete-source renames it back. Of objects in a store, only the version that was \
      read is deleted.
      """
    case .importAbstract: "Import folders of photos into the library, for reports to use."
    case .inspectFiles: "The photos to inspect."
    case .inspectHelp: "Reads each file completely and stores nothing."
    case .inspectAbstract:
      "Show each photo's kind and properties, and what attach would do with it."
    case .noPhotos: "No photos."
    case .listHelp:
      """
      Shows the beginning of each ID, which every command accepts; --verbose shows whole IDs and \
      names.
      """
    case .listAbstract: "List the stored photos, newest first."
    case .moveSameRecords:
      "The records would stay where they are. Name another place with --to-database or --to-cache."
    case .moveSamePictures:
      """
      The pictures would stay where they are, and two catalogs would delete each other's \
      pictures. Name another place with --to-blobs or --to-cache.
      """
    case .moveToCache: "The folder for what goes neither to a database nor to a store."
    case .moveToBlobs: "The S3-compatible store that pictures go to."
    case .moveToDatabase:
      "The PostgreSQL database that records go to; a password belongs in ~/.pgpass."
    case .moveHelp:
      """
      Copies photos, the library, unfinished reports and announcements from the stores that \
      --cache, --database and --blobs name to those that --to-database, --to-blobs and \
      --to-cache name. The source stays as it is, and nothing in the target is changed. Every \
      picture's digest is checked when it is read and when it is written. Run it again after it \
      was stopped or killed, or when something was added: what is already there isn't copied \
      again.

      Exits with 65 if something couldn't be moved: a picture that is missing or damaged (repair \
      it with petspot verify --repair and move again), or an entry that differs in the target. \
      Don't work on reports in the meantime. Imports shared by workers stay where they are; what \
      is known of imported files is moved only for files on this machine and for objects in a \
      store.

      Anything erased or forgotten in either of them isn't brought back: it's left out, and \
      deleted from the target if it's still there.
      """
    case .moveAbstract:
      "Move everything to other stores: from the cache folder to a database, or back."
    case .removeHelp: "Removes PetSpot's copy; your original file is never changed."
    case .removeAbstract: "Remove the attached photo (safe to repeat)."
    case .reportClearForce: "Clear the report even if it can't be read."
    case .reportClearHelp:
      """
      A published announcement stays; see petspot announcements close and erase. If its code was \
      never shown, it is shown now. What isn't published yet is withdrawn.
      """
    case .reportClearAbstract: "Clear the report and remove its photo."
    case .reportStatusAbstract: "Show the whole report."
    case .reportChipNumber: "Up to 15 digits; you're told which characters were left out."
    case .reportChipAbstract: "Step 1: the microchip number (optional)."
    case .reportHelp:
      """
      Without a subcommand this is a conversation in four steps: microchip, photo, description, \
      contact. Stop whenever you like and continue later. The subcommands do the same for \
      scripts; each of the first four works like that step's Continue button.

      The conversation takes --draft ID, --lang en|pl, --position LAT,LON, --server URL and \
      --cache DIR; see petspot report talk --help.
      """
    case .reportAbstract: "Report a missing pet."
    case .reportSubmitHelp:
      """
      Prints the code that closes or erases the announcement; it is shown only once. Submitting \
      the same report again returns the same announcement, and resumes an attempt that stopped.
      """
    case .reportSubmitAbstract: "Publish the report as an announcement."
    case .reportContactHelp: "Fields you leave out stay as they are; an empty value clears a field."
    case .reportContactAbstract: "Step 4: how to reach you."
    case .conversationNoJSON:
      """
      The conversation has no JSON output; use petspot report chip, photo, describe, contact, \
      submit.
      """
    case .conversationPosition: "Your position, offered as the place in step 3."
    case .conversationAbstract: "Go through the four steps in a conversation (the default)."
    case .reportDescribeLongAgo: "Accept a date more than 20 years ago without asking."
    case .reportDescribeHelp:
      """
      Fields you leave out stay as they are; an empty value clears a field. All errors are \
      reported at once.
      """
    case .reportDescribeAbstract: "Step 3: the animal's description."
    case .reportPhotoFile: "A file"
    case .reportPhotoMissing: "Attach one with: petspot report photo FILE"
    case .reportPhotoHelp: "If you don't name a photo, the one already attached has to be valid."
    case .reportPhotoAbstract: "Step 2: the photo (required)."
    case .noRuns: "No runs."
    case .noSuchRun(let id): "There is no run \(id). List all runs with: petspot runs"
    case .runsId: "The number of a run."
    case .runsHelp:
      """
      Shows the progress of each run, its counts, the time left and its workers; with ID, only \
      that run and what each worker is doing. A run is kept for 90 days.
      """
    case .runsAbstract: "List imports shared by workers, newest first."
    case .notANetwork(let network):
      "--trust-proxy takes a network such as 10.0.0.0/8, not \(network)."
    case .notABaseURL:
      """
      --base-url has to begin with http:// or https:// and a host, such as \
      https://pets.example.org.
      """
    case .notAPort: "A port is a number from 0 to 65535."
    case .notAContact:
      "--operator-contact takes an email address, or a web address that begins with https://."
    case .serveOperatorContact: "Where to send complaints: an email or web address."
    case .serveOperatorName: "Who runs the server; shown at the bottom of every page."
    case .serveMetricsPort: "Serve metrics for Prometheus on this port."
    case .serveNoClientLimits: "Don't limit individual clients."
    case .serveTrustProxy:
      "Trust proxies in this network to report the client's address; repeatable."
    case .servePhotoSpace:
      """
      Space for published photos (default: 50 GB); one client can add a twentieth of it in 30 days. \
      There is no limit for all clients together.
      """
    case .serveKeepFree:
      """
      Keep this much of the disk free (default: the smaller of 1 GB and 2 %); nothing is added \
      below that.
      """
    case .serveDraftSpace:
      """
      Space for visitors' unpublished reports (default: 10 GB); one client can use a twentieth \
      of it. When it is full, the oldest are deleted; announcements never are.
      """
    case .serveUploadLimit: "The largest photo accepted (default: 20 MiB)."
    case .serveTlsKey: "The certificate's key, a PEM file."
    case .serveTlsCertificate: "Serve TLS with this certificate, a PEM file."
    case .serveBaseURL:
      "The beginning of all addresses in responses; requests for other hosts are refused (421)."
    case .servePort: "The port to listen on; 0 picks a free one."
    case .serveHost: "The address to listen on."
    case .serveHelp:
      """
      Uses the same cache as the other commands, at the same time. Ctrl-C stops it once current \
      requests are finished.
      """
    case .serveAbstract: "Serve reports, photos and announcements to browsers and apps."
    case .showPhoto:
      "A photo's ID or its beginning, or a file (put ./ in front if it looks like an ID)."
    case .showHelp:
      """
      Draws two pixels per character, in 24-bit color if COLORTERM says so, otherwise in 256 \
      colors. Without a terminal, or with NO_COLOR, the photo is described instead.
      """
    case .showAbstract: "Draw a photo's preview in the terminal."
    case .similarNone: "No photo looks like this one."
    case .similarBits: "%2d of 64  "
    case .similarHeader: "DIFFERS   "
    case .similarDistance: "--distance takes a number from 0 to 64."
    case .similarDistanceRange: "How many of the 64 bits may differ."
    case .similarReference: "A library photo's ID; see petspot list."
    case .similarHelp:
      """
      Compares photos by appearance; the most similar come first. Each photo has a fingerprint \
      of 64 bits; DIFFERS counts differing bits: 0 looks the same, up to 10 is very similar, \
      around 32 has nothing in common. These are only suggestions: photos are never merged \
      because they look alike.
      """
    case .similarAbstract: "List library photos that look like the given one."
    case .statusHelp:
      """
      If the photo's file is missing or damaged, no photo counts as attached, and the status \
      says what is wrong; the photo is back as soon as its file is.
      """
    case .statusAbstract: "Show which photo is attached."
    case .sweepSizeSpace:
      """
      Delete the least recently used resized copies of photos until the rest fit into this \
      space, as a server does every five minutes.
      """
    case .sweepDraftSpace: "The space for visitors' unpublished reports, as for serve."
    case .sweepDryRun: "Only show what would be deleted."
    case .sweepHelp:
      """
      Deletes what interrupted work left behind, pictures without a record, and drafts untouched \
      for 7 days, along with their photos. Nothing is deleted outside the cache folder or the \
      stores given with --database and --blobs. With --draft-space, unpublished reports of a server's \
      visitors are deleted as well, oldest first, until they fit into that space.

      With --shard, several machines share the work on one database and one object store: \
      started as 1/3, 2/3 and 3/3, each checks a third of the pictures, and the first one also \
      the drafts.
      """
    case .sweepAbstract: "Remove leftover files and expired drafts from the cache."
    case .verifyDryRun: "Change nothing: damaged files stay where they are."
    case .verifyDecode: "Decode every picture, too; takes about as long as importing them."
    case .verifySources: "With --repair: look for originals here too."
    case .verifyRepair: "Restore what can be restored."
    case .verifyAttached: "Verify only photos attached to reports, not the library."
    case .verifyAll: "Verify the whole cache and its catalog (the default)."
    case .verifyHelp:
      """
      Reads every picture and preview, compares it with its name and its record, and checks its \
      structure; then every entry of the catalog and every file without one. With --attached \
      only the photos of reports are checked, which is faster. A damaged file is moved to \
      quarantine/ in the cache folder, or marked as quarantined in the object store, so it is \
      never shown; nothing is deleted. Exits with 65 if something is wrong, or still is after \
      --repair, and with 74 if the object store couldn't deliver a picture, which is named and \
      counted.

      --repair restores pictures from the originals noted by an import, if they haven't changed, \
      and corrects records. A file that holds more than its picture is made again, from the \
      original or from itself, and the old one is deleted. --from looks for originals in other \
      folders, too, also for photos attached from a file.

      With --shard, several machines share the work: started as 1/3, 2/3 and 3/3, each checks a \
      third of the photos and files, and the first one also the entries that refer to them. When \
      all have finished repairing, verify everything once more.
      """
    case .verifyAbstract: "Verify stored photos, and repair them."
    case .workerGivenBack: "The current files took too long; they were returned to the queue."
    case .workerOnce: "Exit when there is nothing left to do."
    case .workerHelp:
      """
      Takes parts of runs whose folders are visible here, under the same path, and imports them \
      like petspot import. Start one or more per machine. Ctrl-C or SIGTERM finishes the current \
      files within 20 s and returns the rest of the part to the queue. A worker that is killed \
      loses its part to another one after half a minute; nothing is counted twice.
      """
    case .workerAbstract: "Work on imports started with --distribute."
    case .diskNearlyFull(let freeBytes, let enoughBytes):
      "Only \(freeBytes) is free; make room for at least \(enoughBytes)."
    case .folderNotWritable(let path):
      "Make \(path) a folder you can write to, or choose another with --cache DIR."
    case .freeUnknown: "unknown"
    case .freeLabel: "free      "
    case .folderMissing: " (not there yet)"
    case .folderLabel: "cache     "
    case .storedFileDamaged(let name, let repair):
      """
      The stored file of \(name) is damaged. Restore it with: \(repair), or attach the photo \
      again.
      """
    case .storedFileMissing(let name, let repair):
      """
      The stored file of \(name) is missing. The photo is attached again as soon as the file is \
      back; restore it with: \(repair), or attach the photo again.
      """
    case .lastAttempt(let reason): "The last attempt failed: \(reason)."
    case .attemptNotStored: "the photo couldn't be stored"
    case .attemptDiskFull: "the disk was full"
    case .attemptInterrupted: "it was interrupted"
    case .attemptTimeout: "the photo took too long to read"
    case .attemptUnreadable: "the file couldn't be read"
    case .attemptTooLarge: "the photo was over a limit"
    case .attemptCorrupt: "the photo was damaged"
    case .attemptEmpty: "the file was empty"
    case .attemptUnsupported: "the file wasn't a JPG, PNG, HEIC, GIF or WEBP photo"
    case .attachedForgotten:
      "This photo was removed from the library; its picture stays attached here."
    case .attachedLoading: "A photo is being attached."
    case .attachedNone: "No photo attached."
    case .headerName: "NAME"
    case .saved: "saved"
    case .cardFrames(let frameCount): "\(frameCount) frames"
    case .headingUsage: "USAGE: "
    case .headingExamples: "EXAMPLES:"
    case .threadTimes: "Total thread time: "
    case .outcomeFailed: "failed"
    case .outcomeWouldFail: "would fail"
    case .outcomeSkipped: "skipped"
    case .outcomeWouldSkip: "would skip"
    case .outcomeUnchanged: "unchanged"
    case .outcomeDuplicate: "duplicate"
    case .outcomeImported: "imported"
    case .outcomeWouldImport: "would import"
    case .originalWouldBeDeleted: "original would be deleted"
    case .originalWouldBeMoved: "original would be moved"
    case .originalDeleted: "original deleted"
    case .originalKept(let words): "original kept: \(words)"
    case .originalWouldStay(let words): "original would stay: \(words)"
    case .originalMoved(let place): "original moved to \(place)"
    case .samePictureAs(let other): "the same picture as \(other)"
    case .sameFileAs(let other): "the same file as \(other)"
    case .pageFrom: "From"
    case .pageEndedEarly: " The import was stopped early."
    case .pageOriginalKept: "original kept"
    case .pageRest: "Skipped, failed, originals kept"
    case .pageDuplicates: "Duplicates"
    case .pageMore(let count): "and \(count) more"
    case .pageStored: "stored"
    case .pageNew: "New photos"
    case .pageWouldBeNew: "Would be new"
    case .pageTitle: "PetSpot import"
    case .pageFilter: "Filter the lists:"
    case .timeLeft(let amount): "about \(amount) left"
    case .fileCount(let files): Self.count(files, "file")
    case .damageInvalid: "invalid data"
    case .damageChecksum: "a checksum is wrong"
    case .damageCut: "it ends too early"
    case .kindSynology: "Synology system files"
    case .kindDesktopIni: "Windows folder settings"
    case .kindThumbsDb: "Windows thumbnails"
    case .kindDSStore: "macOS folder settings"
    case .kindAppleDouble: "macOS metadata of another file"
    case .kindSymlink: "a symbolic link"
    case .kindFolder: "a folder"
    case .kindDevice: "a device"
    case .kindSocket: "a socket"
    case .kindPipe: "a named pipe"
    case .causeSidecar: "files that go with a photo (Live Photo videos, edits, metadata)"
    case .causeForgotten: "removed from the library (import them again with --again)"
    case .causeInsideCache: "inside a photo cache"
    case .causeChanging: "still being written"
    case .causeOutside: "links outside the given folders (follow them with --follow-outside)"
    case .causeHidden: "hidden (import them with --hidden)"
    case .causeLinkLoop: "links to nothing or to a folder that is imported anyway"
    case .causeSymlink: "symbolic links (follow them with --follow-symlinks)"
    case .causeTimeout: "took too long to read"
    case .causeTooLarge: "too large"
    case .causeUnreadable: "can't be read"
    case .causeDamaged: "damaged: "
    case .causeEmpty: "empty (0 bytes)"
    case .refusedSidecar(let file):
      "\(file) goes with a photo in its folder; PetSpot keeps only the photo."
    case .refusedForgotten(let file):
      "\(file)'s photo was removed from the library. Import it again with --again."
    case .refusedInsideCache(let file):
      """
      \(file) belongs to a photo cache, from which nothing is imported. Copy photos out of it \
      with: petspot export
      """
    case .refusedChanging(let file):
      "\(file) is still being written. Import again when it is complete."
    case .refusedOutside(let file):
      "\(file) leads outside the given folders. Follow it with --follow-outside."
    case .refusedSystemFile(let file, let noun): "\(file) isn't a photo: \(noun)."
    case .refusedHidden(let file): "\(file) is hidden. Import hidden files with --hidden."
    case .refusedKind(let file, let noun): "\(file) is \(noun), not a photo."
    case .refusedSymlink(let file):
      "\(file) is a symbolic link. Follow links with --follow-symlinks."
    case .refusedLinkLoop(let file): "\(file) leads to a folder that is imported anyway."
    case .refusedDeadLink(let file): "\(file) is a link to something that doesn't exist."
    case .importInterrupted: "Interrupted. Progress is saved; run the command again to resume."
    case .importStopping: "Finishing current files. Press Ctrl-C again to quit now."
    case .causesListedIn(let place): "Every file is listed in \(place)"
    case .causesListing: "To list every file, add --verbose or --report FILE.html"
    case .causesFailed: "Failed:"
    case .causesSkipped: "Skipped:"
    case .inspectNoProfile: "no color profile"
    case .inspectOrientation(let orientation, let bitDepth):
      ", orientation \(orientation), \(bitDepth) bits, "
    case .inspectStored: "  stored "
    case .inspectLocation: "has a location"
    case .inspectTaken(let date): "taken \(date)"
    case .inspectPlan: "  attach would: "
    case .inspectOtherName: "its extension doesn't match"
    case .inspectTransparency: "with transparency"
    case .inspectFrames(let frames): "\(frames) frames"
    case .notMoved(let fileName, let id, let problem): "not moved  \(fileName) (\(id)): \(problem)"
    case .notMovedDamaged: "its picture or its record is damaged"
    case .notMovedMissing: "its picture is missing"
    case .moveOtherState:
      """
      Not everything was moved: some entries differ in the target and stay there as they are. \
      Move to empty stores, or leave it as it is.
      """
    case .moveAddedMeanwhile:
      """
      Not everything was moved: something was added in the meantime, or an announcement has a \
      microchip number that another announcement there already has. Run the command again.
      """
    case .moveRepairSource:
      """
      Not everything was moved. Repair the source with petspot verify --repair, and run the \
      command again.
      """
    case .moveAgain: "Not everything was moved. Run the command again to continue."
    case .reasonCoding: "some browsers don't support its encoding"
    case .reasonFormat: "browsers don't support its format"
    case .reasonBitDepth: "more than 8 bits per channel"
    case .reasonColor: "its colors aren't sRGB"
    case .reasonOrientation: "it has to be turned or mirrored"
    case .stepCoding: "re-encode it for browsers"
    case .stepFormat(let name, let name2): "convert from \(name) to \(name2)"
    case .stepBitDepth: "reduce it to 8 bits per channel"
    case .stepOrientation: "rotate"
    case .stepRemove(let list): "remove \(list)"
    case .stepRepair: "repair its structure"
    case .stepKeep: "keep the picture bit for bit"
    case .slowHEIC: ": HEIC will be slow"
    case .libraryMissing: "not found"
    case .commitUnknown: "commit not recorded"
    case .partBrokenOff(let place): "\(place): interrupted"
    case .partTakenOver(let place): "\(place): taken over by another worker"
    case .partGivenBack(let place, let files):
      "\(place): \(Self.count(files, "file")) done, the rest returned to the queue"
    case .partDone(let place, let files, let seconds):
      "\(place): \(Self.count(files, "file")) in \(seconds)"
    case .partName(let run, let part): "run \(run), part \(part)"
    case .workerPart(let part, let name, let silent): "  part \(part): \(name)\(silent)"
    case .workerSilent: " (not responding)"
    case .runDone: "done"
    case .runWorking: "working"
    case .runListing: "listing"
    case .partsDone(let partsDone, let parts): "  parts done: \(partsDone)/\(parts)"
    case .runFailed: "failed"
    case .runDuplicates: "duplicates"
    case .runImported: "imported"
    case .runFailures(let failed): "\(failed) failed"
    case .runFiles(let files, let files2): "\(files)/\(files2) files"
    case .askDelete:
      "Delete the originals? (yes/no; --dry-run shows which, --yes skips this question): "
    case .originalsMoved(let place):
      """
      Each original is moved to \(place) once its stored photo is verified. Originals that hold \
      more than their stored photo stay where they are, unless you add --delete-lossy-source.
      """
    case .originalsDeleted:
      """
      Each original is deleted once its stored photo is verified; the stored photo takes its \
      place. 
      """
    case .originalsRest:
      """
      It has no metadata (date, place, camera), and was re-encoded if it had to be turned or \
      converted. Originals that hold more than their stored photo stay, unless you add \
      --delete-lossy-source.
      """
    case .originalsVersions:
      """
      Only the version that was read is deleted; a bucket without versioning can promise that \
      only if it honors If-Match, so don't write there in the meantime.
      """
    case .verifyQuarantined: " (moved to quarantine earlier)"
    case .verifyReportName(let draft): "report \(draft)"
    case .verifyLeftOut:
      """
      The library and files without a record weren't checked; verify everything with: petspot \
      verify
      """
    case .errorStandardInput: "Standard input"
    case .errorThePhoto: "The photo"
    case .errorFormat(let file, let noun):
      """
      \(file) is \(noun). PetSpot takes JPG, PNG, HEIC, GIF and WEBP; save it as one of these \
      and try again.
      """
    case .errorNoPicture(let file, let noun):
      "\(file) is \(noun). PetSpot takes photos: JPG, PNG, HEIC, GIF and WEBP."
    case .bytes(let number): "\(number) bytes"
    case .errorEmptyInput:
      "Standard input is empty. Give it a photo: petspot attach - --name NAME < FILE"
    case .errorEmpty(let file):
      "\(file) is empty (0 bytes). Copy it again from the original source, or choose another photo."
    case .errorDecoderCrash(let file):
      """
      \(file) crashes the decoder, so it was refused; nothing else was affected. Save it again \
      with a photo program, or choose another photo.
      """
    case .errorDamaged(let file, let damage):
      """
      \(file) is damaged: \(damage). Copy it again from the original source, or choose another \
      photo.
      """
    case .errorPixels(let file, let amount, let limit):
      "\(file) has \(amount); the limit is \(limit). Make it smaller and try again."
    case .errorMemory(let file, let amount, let limit):
      """
      \(file) needs \(amount); the limit is \(limit). Save it again with a photo program, or \
      choose another photo.
      """
    case .errorTooLarge(let file, let amount, let limit):
      """
      \(file) has \(amount); the limit is \(limit). Save it again with a photo program, or \
      choose another photo.
      """
    case .errorShortage(let reason, let remedy):
      """
      PetSpot couldn't continue: \(reason). \(remedy) and try again; what's already stored is \
      safe.
      """
    case .errorShortageFor(let file, let reason, let remedy):
      """
      \(file) couldn't be processed: \(reason). \(remedy) and try again; what's already stored \
      is safe.
      """
    case .errorTimeout(let file, let seconds):
      """
      \(file) took longer than \(seconds) s to read. Save it again with a photo program, or \
      choose another photo.
      """
    case .errorBlobDamaged(let file):
      """
      \(file) is stored, but its file is damaged. Attach the photo again, and look for more \
      damage with: petspot verify
      """
    case .errorBlobNotAFile(let file):
      """
      \(file) is stored, but its picture was replaced by something that isn't a file (a pipe, a \
      folder, a link). Repair it with: petspot verify --all --repair
      """
    case .errorInternal(let file, let what):
      """
      \(file): PetSpot ran into an internal error (\(what)). Nothing was stored; please report \
      this with the photo's format and what you did.
      """
    case .errorNoPhoto: "There's no photo here. Attach one with: petspot attach FILE"
    case .errorNoSuchPhoto(let photo):
      "There's no photo \(photo). List your photos with: petspot list"
    case .errorFileSizeLimit(let target, let remedy):
      """
      The file size limit was reached: \(target) couldn't be written. \(remedy) and try again; \
      photos already stored are safe.
      """
    case .errorQuota(let target):
      """
      Your disk quota is used up: \(target) couldn't be written. Free some space and try again; \
      photos already stored are safe.
      """
    case .errorDiskFull(let target):
      """
      The disk is full: \(target) couldn't be written. Free some space and try again; photos \
      already stored are safe.
      """
    case .errorCacheUnusable(let target, let reason):
      """
      The cache folder \(target) can't be used: \(reason). Choose another with --cache DIR or \
      PETSPOT_CACHE.
      """
    case .errorStorage(let target, let operation, let reason, let remedy):
      """
      \(target): \(operation) failed: \(reason). \(remedy) and try again; photos already stored \
      are safe.
      """
    case .errorOtherTables(let server):
      """
      The tables of \(server) were made by another version of PetSpot. Use that version, or \
      name another database with --database URL; nothing was changed.
      """
    case .errorNoDatabaseAddress:
      "This isn't a database address. Write it as postgresql://USER@HOST:PORT/NAME and try again."
    case .errorOtherCache:
      """
      The cache was written by another version of PetSpot. Use that version, or choose another \
      folder with --cache DIR; nothing was changed.
      """
    case .errorOtherBlobs(let place):
      """
      The pictures of these records are stored at \(place), not at the given address. Name that \
      store with --blobs URL, or other records with --database URL or --cache DIR; nothing was \
      changed.
      """
    case .errorCatalogDamaged(let detail):
      """
      The catalog of the cache is damaged (\(detail)). Nothing was changed; restore it from a \
      backup, or choose another folder with --cache DIR.
      """
    case .errorRecordAltered(let detail):
      """
      A photo's record was changed from outside PetSpot (\(detail)). Nothing was changed; repair \
      it with: petspot verify --all --repair
      """
    case .errorDatabase(let detail):
      """
      The database can't be used (\(detail)). Ask its administrator, and try again; photos \
      already stored are safe.
      """
    case .errorCatalog(let detail):
      """
      The catalog of the cache can't be used (\(detail)). Check the disk and try again; photos \
      already stored are safe.
      """
    case .errorServiceBusy(let service, let seconds):
      """
      \(service) is busy (waited \(seconds) s). Try again in a moment; photos already stored are \
      safe.
      """
    case .errorCacheBusy(let seconds):
      """
      Another PetSpot process is using the cache (waited \(seconds) s). Try again when it has \
      finished.
      """
    case .errorUnreachable(let service, let detail):
      """
      \(service) can't be reached (\(detail)). Check that it's running and its address is right, \
      and try again; photos already stored are safe.
      """
    case .errorOverloaded(let service, let detail):
      "\(service) is too busy (\(detail)). Try again in a moment; photos already stored are safe."
    case .errorServiceFailed(let service, let detail):
      """
      \(service) failed (\(detail)). Check its keys and permissions, and try again; photos \
      already stored are safe.
      """
    case .errorCancelled: "Interrupted; nothing was changed. Run the command again to continue."
    case .errorSuperseded:
      """
      Another photo was attached to the draft while this one was being read, so that one was \
      kept. Attach this one again if it's the right one.
      """
    case .errorRemoved:
      """
      The photo was removed from the draft while it was being read; nothing was stored. Attach \
      it again if you want it.
      """
    case .errorOwner(let target, let owner, let user):
      """
      \(target) belongs to \(owner) and not to you, \(user), so the cache isn't used. Run \
      PetSpot as its owner, or choose another cache with --cache DIR or PETSPOT_CACHE; nothing \
      was touched.
      """
    case .errorWritableByOthers(let target):
      """
      \(target) can be written to by others and holds more than a cache, so it isn't used. \
      Remove others' write permission (chmod go-w \(target)), or choose another cache with \
      --cache DIR or PETSPOT_CACHE; nothing was touched.
      """
    case .errorForeignEntry(let target, let noun):
      """
      \(target) is \(noun) and not a file of the cache, so the cache isn't used. Remove it, or \
      choose another cache with --cache DIR or PETSPOT_CACHE; nothing was touched.
      """
    case .errorUser(let number): "user \(number)"
    case .errorNoFile(let file): "There's no file \(file). Check the name and try again."
    case .errorForbidden(let file, let mode):
      """
      \(file) can't be read: permission denied. Change its permissions (chmod \(mode)) and try \
      again.
      """
    case .errorNotRead(let file, let reason, let remedy):
      "\(file) wasn't read: \(reason). \(remedy) and try again."
    case .errorUnreadable(let file, let reason):
      "\(file) can't be read: \(reason). Check the file and try again."
    case .errorFolder(let file): "\(file) is a folder. Name a photo inside it."
    case .errorPipe(let file):
      "\(file) is a named pipe. To read from a pipe use: petspot attach - --name NAME < \(file)"
    case .errorNotAPhoto(let file, let noun):
      "\(file) is \(noun), not a photo. Name a regular file."
    case .errorChanged(let file):
      "\(file) changed while it was being read. Wait until it is completely written and try again."
    case .errorStackLimit(let file, let kibibytes):
      """
      \(file) wasn't decoded: this system can't sandbox the decoder (its stack may have \
      \(kibibytes) KiB, but it needs 8192). Raise the limit (ulimit -Hs 8192) and try again.
      """
    case .errorAddressLimit(let file, let kibibytes):
      """
      \(file) wasn't decoded: this system can't sandbox the decoder (it may use \(kibibytes) KiB \
      of address space, but it needs 1048576). Raise the limit (ulimit -Hv 4194304) and try \
      again.
      """
    case .errorLimits(let file):
      """
      \(file) wasn't decoded: this system can't sandbox the decoder (resource limits were \
      refused). Raise the hard limits of memory and processor time (ulimit -H) and try again.
      """
    case .errorDecoderStart(let file):
      "\(file) wasn't decoded: the decoder didn't start. See what is missing with: petspot doctor"
    case .errorDecoderStack(let file):
      """
      \(file) wasn't decoded: the stack is too small for the decoder. Allow a bigger one (ulimit \
      -s 8192) and try again.
      """
    case .errorDecoderAnswer(let file):
      """
      \(file) was refused: the decoder gave an answer that no working decoder would give; the \
      file may have been crafted to attack it. Nothing was stored; choose another photo.
      """
    case .errorDecoderKilled(let file):
      """
      \(file) wasn't decoded: something killed the decoder, twice; the system may be short of \
      memory. Close other programs and try again.
      """
    case .errorNoLandlock(let file):
      """
      \(file) wasn't decoded: this system can't sandbox the decoder (no Landlock). Use Linux \
      5.13 or newer with Landlock enabled, or accept less safety with --allow-weak-sandbox.
      """
    case .errorNoSeccomp(let file):
      """
      \(file) wasn't decoded: this system can't sandbox the decoder (no seccomp). Use a kernel \
      or container that allows seccomp, or accept less safety with --allow-weak-sandbox.
      """
    case .errorThreads(let file):
      """
      \(file) wasn't decoded: this system can't sandbox the decoder (threads ran too early). \
      Take preloaded libraries out of LD_PRELOAD and try again.
      """
    case .errorForeignLoader(let file):
      """
      \(file) wasn't decoded: libvips on this system would run loaders that PetSpot doesn't \
      trust. Reinstall libvips 8.13 or newer from your system's packages; see: petspot doctor
      """
    case .remedyFiles: "Close other programs or allow more open files (ulimit -n)"
    case .remedyMemory: "Close other programs to free memory"
    case .remedyProcesses: "Close other programs or allow more processes (ulimit -u)"
    case .remedyFileSize: "Allow bigger files (ulimit -f)"
    case .remedyReadOnly: "Mount the disk for writing"
    case .remedyPermissions: "Correct the folder's owner and permissions"
    case .remedyDisk: "Check the disk and the folder's permissions"
    case .fixVips: "Install libvips: sudo apt-get install libvips42"
    case .fixMagic: "Install libmagic's database: sudo apt-get install libmagic-mgc"
    case .fixHEIC: "Install libvips with HEIC: sudo apt-get install libvips42 libheif1"
    case .fixLandlock:
      "Use Linux 5.13 or newer with Landlock, or accept less safety with --allow-weak-sandbox"
    case .fixSeccomp:
      """
      Use a kernel or container that allows seccomp, or accept less safety with \
      --allow-weak-sandbox
      """
    case .fixOther: "Run Scripts/bootstrap, which installs what is missing"
    case .fixBlobs(let address):
      "\(address) doesn't return what was just stored. Use another store."
    case .fixBlobsClock(let address): "Correct this machine's clock, or that of \(address) (NTP)."
    case .fixDatabaseClock: "Correct this machine's clock, or the database's (NTP)."
    case .fixDatabaseRights(let address):
      """
      Let this user write to \(address): make it the owner of the schema petspot, or grant it \
      USAGE there and SELECT, INSERT, UPDATE, DELETE on all tables; where there is none yet, \
      GRANT CREATE ON DATABASE.
      """
    case .fixDurability(let address):
      "\(address) may lose what it has confirmed: set fsync and synchronous_commit to on."
    case .doctorBlobsFailed: "blobs     not usable"
    case .doctorBlobs(let address, let library): "blobs     \(address), by \(library)"
    case .doctorPromise(let name): "          supports \(name)"
    case .doctorNoPromise(let name): "          doesn't support \(name)"
    case .doctorDatabaseFailed: "database  not usable"
    case .doctorDatabase(let version, let address): "database  PostgreSQL \(version) at \(address)"
    case .doctorEncrypted: ", encrypted"
    case .doctorNotEncrypted: ", not encrypted"
    case .doctorNoTables: " (no tables yet)"
    case .doctorClockBehind(let milliseconds): "clock     \(milliseconds) ms behind the database's"
    case .doctorClockAhead(let milliseconds): "clock     \(milliseconds) ms ahead of the database's"
    case .amount(let number, let what): "\(number) \(Self.englishNoun(what))"
    case .amountOf(let size, let what): "\(size) of \(Self.englishNoun(what))"
    case .amountBeyond(let what): "more \(Self.englishNoun(what)) than can be counted"
    case .systemReason(let errno):
      String(cString: strerror(errno)).prefix(1).lowercased()
        + String(cString: strerror(errno)).dropFirst()
    case .thousandsSeparator: ","
    case .sourceKept(let kept): kept.english
    case .problem(let problem): problem.english
    case .repair(let repair): repair.english
    case .verifySummary(let report): report.englishLines
    case .verifyAdvice(let report, let repairs): report.englishAdvice(repairing: repairs)
    case .importTotals(let summary, let formatter): summary.english(formatter)
    case .loss(let loss): Normalization.englishLoss(loss)
    case .removed(let removed): removed.english
    case .stepColor(let origin, _): "convert the colors \(origin)"
    case .detailReason(let what): "reason: \(what)"
    case .detailRepaired(let what): "repaired: \(what)"
    case .detailRemoved(let what): "removed: \(what)"
    case .detailLost(let what): "lost: \(what)"
    case .speciesValues: "dog, cat, bird, rabbit, rodent, reptile, other"
    case .genderValues: "male, female"
    case .headerColumns: "ID, SAVED, SIZE, PIXELS"
    case .pageColumns: "Outcome, Code, File, Reason"
    case .pageTotals: "Files, Imported, Duplicates, Unchanged, Skipped, Failed"
    case .workerDone(let parts, let files):
      "Worked on \(Self.count(parts, "part")) with \(Self.count(files, "file"))."
    case .runWorkers(let workers): Self.count(workers, "worker")
    case .importTooManyErrors(let failed):
      "Stopped after \(Self.count(failed, "failed file")) (--max-errors). Run the command again without it to "
        + "import the rest."
    case .sweepDone(let dryRun, let files, let size, let drafts):
      (dryRun ? "Would delete " : "Deleted ")
        + "\(Self.count(files, "file")) (\(size)) and \(Self.count(drafts, "draft"))."
    case .movedPhotos(let move):
      "\(Self.count(move.moved, "photo")) moved (\(Amounts.size(move.bytes))), "
        + "\(Amounts.number(move.alreadyThere)) already there"
    case .movedEntries(let move):
      "\(move.entries == 1 ? "1 entry" : "\(Amounts.number(move.entries)) entries") moved, "
        + "\(Amounts.number(move.entriesThere)) already there"
    case .movedMissing(let count): "\(Amounts.number(count)) missing"
    case .movedDamaged(let count): "\(Amounts.number(count)) damaged"
    case .movedLeftOut(let count): "\(Amounts.number(count)) left out"
    case .movedDiffering(let count): "\(Amounts.number(count)) different in the target"
    case .movedErased(let count): "\(Amounts.number(count)) erased before"
    case .countedOutcome(let count, let word):
      "\(Amounts.number(count)) " + (word == "duplicate" && count != 1 ? "duplicates" : word)
    case .noSuchCommand(let given): "There is no command \(given)."
    case .didYouMean(let word): "Did you mean \(word)?"
    case .severalPhotos(let beginning, let list):
      "The IDs of several photos begin with \(beginning): \(list). Type more characters."
    case .severalAnnouncements(let beginning, let list):
      "The IDs of several announcements begin with \(beginning): \(list). Type more characters."
    }
  }
}

extension SourceKeptReason {
  fileprivate var english: String {
    switch self {
    case .losses(let losses):
      "its photo is stored without \(losses.map(Normalization.lossWords).joined(separator: ", "))"
    case .cut(let signs):
      signs.contains("frames")
        ? "frames of its animation are missing" : "its end is missing, so it may have been longer"
    case .equalPixels: "another file with identical pixels was stored in its place"
    case .link: "a symbolic link led to it"
    case .stored: "it belongs to a photo cache"
    case .changed: "it changed after it was read"
    case .unproved: "its stored photo couldn't be verified"
    case .failed(let errno): "the system refused: \(Amounts.reason(errno))"
    case .storeFailed(let service, let detail): "\(service) refused: \(detail)"
    case .displaced(let path):
      "it changed and is now \(DisplayText.path(path)), because another file took its name"
    }
  }
}

extension StoreProblem {
  fileprivate var english: String {
    switch self {
    case .missing: "the file is missing"
    case .size: "the file's size differs from the record"
    case .digest: "the file's content differs from the record"
    case .swapped: "the file holds another picture"
    case .unreadable: "the file can't be read"
    case .unavailable: "the store couldn't deliver it"
    case .structure: "the picture's structure is damaged"
    case .metadata: "the file holds more than the picture"
    case .decode: "the picture can't be decoded"
    case .record: "the record was altered"
    case .reference: "the record refers to something that is missing"
    }
  }
}

extension VerifyReport.Repair {
  fileprivate var english: String {
    switch self {
    case .done(.source): "repaired from the original"
    case .done(.remade):
      "made again from the original; its bytes differ because decoders have changed"
    case .done(.cleaned): "cleaned again; its pixels are unchanged"
    case .done(.quarantine): "repaired from a copy in quarantine"
    case .done(.blob): "repaired from the stored picture"
    case .done(.record): "repaired"
    case .done(.sealed): "repaired as far as it can be verified; check its name and date"
    case .done(.released): "its record was removed; import or attach the photo again"
    case .failed(.noSource): "not repaired: its original is missing"
    case .failed(.sourceChanged): "not repaired: its original has changed"
    case .failed(.otherBytes): "not repaired: its original now gives a different picture"
    case .failed(.storage): "not repaired: it couldn't be written to the cache"
    }
  }
}

extension VerifyReport {
  fileprivate var englishLines: String {
    var lines = [
      "\(Amounts.number(checked)) checked, \(Amounts.number(damaged)) damaged, "
        + "\(Amounts.number(missing)) missing"
        + (unavailable > 0 ? ", \(Amounts.number(unavailable)) unavailable" : "")
        + (repaired > 0 ? ", \(Amounts.number(repaired)) repaired" : "")
    ]
    if quarantined > 0 {
      let files =
        quarantined == 1 ? "1 damaged file" : "\(Amounts.number(quarantined)) damaged files"
      lines.append("\(files) moved to quarantine/ in the cache folder")
    }
    let rubbish = orphans + leftovers
    if rubbish > 0, !recordsLost {
      let files = rubbish == 1 ? "1 file" : "\(Amounts.number(rubbish)) files"
      let them = rubbish == 1 ? "it" : "them"
      lines.append("\(files) without a record; delete \(them) with: petspot sweep")
    }
    return lines.joined(separator: "\n")
  }

  fileprivate func englishAdvice(repairing: Bool) -> String {
    if isIncomplete {
      return
        "The store couldn't deliver every picture, so those listed above weren't verified. Check its "
        + "log and verify again"
        + (repairing
          ? ", or name a folder with originals: petspot verify --repair --from DIR"
          : ", or restore them from their originals with: petspot verify --repair")
    }
    if damaged + missing == repaired {
      let pictures = Text.count(orphans, "picture")
      return "The catalog was lost at some point, and \(pictures) "
        + "\(orphans == 1 ? "has" : "have") no record. Import or attach their originals again, or "
        + "restore the catalog from a backup; nothing is deleted."
    }
    return repairing
      ? "What is listed above couldn't be repaired. Attach or import it again from its original, or "
        + "name a folder with originals: petspot verify --all --repair --from DIR"
      : "Restore the photos listed above with: petspot verify --all --repair"
  }
}

extension ImportSummary {
  fileprivate func english(_ formatter: ImportFormatter) -> String {
    let parts = [
      (imported, formatter.dryRun ? "would be imported" : "imported"),
      (duplicates, duplicates == 1 ? "duplicate" : "duplicates"), (unchanged, "unchanged"),
      (skipped, formatter.dryRun ? "would be skipped" : "skipped"),
      (failed, formatter.dryRun ? "would fail" : "failed"),
    ]
    let counts = parts.filter { $0.0 > 0 }.map { "\(Amounts.number($0.0)) \($0.1)" }
    let list = counts.isEmpty ? "nothing to import" : counts.joined(separator: ", ")
    let noun = files == 1 ? "file" : "files"
    let work =
      formatter.dryRun
      ? " Looked at \(Amounts.size(bytesRead)) in \(Amounts.duration(seconds)) and stored nothing."
        + (imported > 1 ? " Copies that differ in metadata alone count as new here." : "")
      : " Read \(Amounts.size(bytesRead)), wrote \(Amounts.size(bytesWritten)) in "
        + "\(Amounts.duration(seconds))."
    return "\(Amounts.number(files)) \(noun): \(list)." + work + englishSources(formatter)
  }

  fileprivate func englishSources(_ formatter: ImportFormatter) -> String {
    let gone = formatter.moves && !formatter.dryRun ? movedSources : deletedSources
    guard gone + keptSources > 0 else { return "" }
    let originals = gone == 1 ? "1 original" : "\(Amounts.number(gone)) originals"
    let kept = Amounts.number(keptSources)
    if formatter.dryRun {
      return " \(originals) would be \(formatter.moves ? "moved" : "deleted")"
        + (keptSources > 0 ? ", \(kept) kept; each line says why." : ".")
    }
    return " \(formatter.moves ? "Moved" : "Deleted") \(originals)"
      + (keptSources > 0 ? ", kept \(kept); each line says why." : ".")
  }
}

extension Normalization {
  fileprivate static func englishLoss(_ loss: String) -> String {
    switch loss {
    case "frames": "damaged frames"
    case "gamut": "colors outside sRGB"
    case "hdr": "high dynamic range"
    case "color": "exact colors"
    case "cmyk": "print colors (CMYK)"
    case "bit-depth": "more than 8 bits per channel"
    case "motion-video": "motion video"
    case "second-picture": "second picture"
    default: loss.replacing("-", with: " ")
    }
  }
}

extension Normalization.Removed {
  fileprivate var english: String {
    switch kind {
    case "exif", "xmp", "iptc": kind.uppercased()
    case "color-profile": "color profile"
    case "comment": "comments"
    case "text": "text"
    case "application": "application data"
    case "unknown": "unknown data"
    case "trailing": "bytes after the end"
    default: kind.replacing("-", with: " ")
    }
  }
}
