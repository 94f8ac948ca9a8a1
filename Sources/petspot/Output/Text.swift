import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// Every text that the program prints beyond those of the report (`TextKey`). `English.swift` and `Polish.swift`
/// have one for each case, which the compiler checks.
enum Text {
  case groupCache
  case groupMachines
  case groupPhotos
  case groupReport
  case groupAttachment
  case petspotHelp
  case petspotAbstract
  case optionTwice(argument: String)
  case notAShard
  case optionShard
  case optionJobs
  case folderPathNotUTF8
  case emptyPath
  case fileAddress(address: String, path: String)
  case webAddress(address: String)
  case optionDraft
  case notADatabaseAddress
  case optionVerbose
  case optionQuiet
  case optionJson
  case optionBlobs
  case optionDatabase
  case optionCache
  case announcementID
  case bucketImportedAlone
  case interrupted
  case codeMissing
  case closePasswordFile
  case closePassword
  case notAPhotoID(argument: String, shortest: Int)
  case notASize(text: String)
  case notALanguage
  case optionLanguage
  case notAServerAddress
  case optionServer
  case sizesNotMade(id: String)
  case seeHelp(help: String)
  case optionNeeds(String, String)
  case optionsTogether(String, String)
  case optionsExclusive(String, String)
  case optionBelowOne(String)
  case onStoreOnly(String)
  case eraseOperator
  case eraseHelp
  case eraseAbstract
  case closeHelp
  case closeAbstract
  case rangeNotPositive
  case nearestNeedsNear
  case announcementsListHidden
  case announcementsListSort
  case announcementsListRange
  case announcementsListNear
  case notAPosition
  case announcementsListLimit
  case announcementsListAbstract
  case announcementsCommandHelp
  case announcementsCommandAbstract
  case unhideHelp
  case unhideAbstract
  case reasonLength
  case hideReason
  case hideHelp
  case hideAbstract
  case announcementsShowNear
  case announcementsShowHelp
  case announcementsShowAbstract
  case attachNothing
  case attachName
  case attachAsset
  case attachFile
  case attachHelp
  case attachAbstract
  case continueFine
  case continueMissing
  case continueHelp
  case continueAbstract
  case doctorNoSeccomp
  case doctorNoLandlock
  case doctorNoLoaders
  case doctorNoProblems
  case doctorHelp
  case doctorAbstract
  case exportNoSuchSize(size: Int)
  case exportSize
  case exportDirectory
  case exportIds
  case exportHelp
  case exportAbstract
  case forgotten
  case forgetKept(name: String)
  case forgetIds
  case forgetHelp
  case forgetAbstract
  case noWorker(id: Int64)
  case workersGoOn(run: Int64)
  case nothingDone
  case moveSourceInside
  case originalsNeedYes
  case originalsOnlyInCache(folder: String)
  case reportKind
  case importDistribute
  case importYes
  case importDeleteLossySource
  case importMoveSource
  case importDeleteSource
  case importReport
  case importSizes
  case importAgain
  case importRetryRefused
  case importMaxErrors
  case importFollowOutside
  case importFollowSymlinks
  case importHidden
  case importExclude
  case importInclude
  case importDryRun
  case importPaths
  case importHelp
  case importAbstract
  case inspectFiles
  case inspectHelp
  case inspectAbstract
  case noPhotos
  case listHelp
  case listAbstract
  case moveSameRecords
  case moveSamePictures
  case moveToCache
  case moveToBlobs
  case moveToDatabase
  case moveHelp
  case moveAbstract
  case removeHelp
  case removeAbstract
  case reportClearForce
  case reportClearHelp
  case reportClearAbstract
  case reportStatusAbstract
  case reportChipNumber
  case reportChipAbstract
  case reportHelp
  case reportAbstract
  case reportSubmitHelp
  case reportSubmitAbstract
  case reportContactHelp
  case reportContactAbstract
  case conversationNoJSON
  case conversationPosition
  case conversationAbstract
  case reportDescribeLongAgo
  case reportDescribeHelp
  case reportDescribeAbstract
  case reportPhotoFile
  case reportPhotoMissing
  case reportPhotoHelp
  case reportPhotoAbstract
  case noRuns
  case noSuchRun(id: Int64)
  case runsId
  case runsHelp
  case runsAbstract
  case notANetwork(network: String)
  case notABaseURL
  case notAPort
  case notAContact
  case serveOperatorContact
  case serveOperatorName
  case serveMetricsPort
  case serveNoClientLimits
  case serveTrustProxy
  case serveDraftSpace
  case servePhotoSpace
  case serveKeepFree
  case serveUploadLimit
  case serveTlsKey
  case serveTlsCertificate
  case serveBaseURL
  case serveSizeSpace
  case servePort
  case serveHost
  case serveHelp
  case serveAbstract
  case showPhoto
  case showHelp
  case showAbstract
  case similarNone
  case similarBits
  case similarHeader
  case similarDistance
  case similarDistanceRange
  case similarReference
  case similarHelp
  case similarAbstract
  case statusHelp
  case statusAbstract
  case sweepDraftSpace
  case sweepDryRun
  case sweepHelp
  case sweepSizeSpace
  case sweepAbstract
  case verifyDryRun
  case verifyDecode
  case verifySources
  case verifyRepair
  case verifyAttached
  case verifyAll
  case verifyHelp
  case verifyAbstract
  case workerGivenBack
  case workerOnce
  case workerHelp
  case workerAbstract
  case diskNearlyFull(freeBytes: String, enoughBytes: String)
  case folderNotWritable(path: String)
  case freeUnknown
  case freeLabel
  case folderMissing
  case folderLabel
  case storedFileDamaged(name: String, repair: String)
  case storedFileMissing(name: String, repair: String)
  case lastAttempt(reason: String)
  case attemptNotStored
  case attemptDiskFull
  case attemptInterrupted
  case attemptTimeout
  case attemptUnreadable
  case attemptTooLarge
  case attemptCorrupt
  case attemptEmpty
  case attemptUnsupported
  case attachedForgotten
  case attachedLoading
  case attachedNone
  case headerName
  case saved
  case cardFrames(count: Int)
  case headingUsage
  case headingExamples
  case threadTimes
  case outcomeFailed
  case outcomeWouldFail
  case outcomeSkipped
  case outcomeWouldSkip
  case outcomeUnchanged
  case outcomeDuplicate
  case outcomeImported
  case outcomeWouldImport
  case originalWouldBeDeleted
  case originalWouldBeMoved
  case originalDeleted
  case originalKept(words: String)
  case originalWouldStay(words: String)
  case originalMoved(place: String)
  case samePictureAs(other: String)
  case sameFileAs(other: String)
  case pageFrom
  case pageEndedEarly
  case pageOriginalKept
  case pageRest
  case pageDuplicates
  case pageMore(count: String)
  case pageStored
  case pageNew
  case pageWouldBeNew
  case pageTitle
  case pageFilter
  case timeLeft(amount: String)
  case fileCount(files: Int)
  case damageInvalid
  case damageChecksum
  case damageCut
  case kindSynology
  case kindDesktopIni
  case kindThumbsDb
  case kindDSStore
  case kindAppleDouble
  case kindSymlink
  case kindFolder
  case kindDevice
  case kindSocket
  case kindPipe
  case causeForgotten
  case causeSidecar
  case causeInsideCache
  case causeChanging
  case causeOutside
  case causeHidden
  case causeLinkLoop
  case causeSymlink
  case causeTimeout
  case causeTooLarge
  case causeUnreadable
  case causeDamaged
  case causeEmpty
  case refusedForgotten(file: String)
  case refusedSidecar(file: String)
  case refusedInsideCache(file: String)
  case refusedChanging(file: String)
  case refusedOutside(file: String)
  case refusedSystemFile(file: String, noun: String)
  case refusedHidden(file: String)
  case refusedKind(file: String, noun: String)
  case refusedSymlink(file: String)
  case refusedLinkLoop(file: String)
  case refusedDeadLink(file: String)
  case importInterrupted
  case importStopping
  case causesListedIn(place: String)
  case causesListing
  case causesFailed
  case causesSkipped
  case inspectNoProfile
  case inspectOrientation(orientation: Int, bitDepth: Int)
  case inspectStored
  case inspectLocation
  case inspectTaken(date: String)
  case inspectPlan
  case inspectOtherName
  case inspectTransparency
  case inspectFrames(count: Int)
  case notMoved(fileName: String, id: String, problem: String)
  case notMovedDamaged
  case notMovedMissing
  case moveOtherState
  case moveAddedMeanwhile
  case moveRepairSource
  case moveAgain
  case reasonCoding
  case reasonFormat
  case reasonBitDepth
  case reasonColor
  case reasonOrientation
  case stepCoding
  case stepFormat(from: String, to: String)
  case stepBitDepth
  case stepOrientation
  case stepRemove(list: String)
  case stepRepair
  case stepKeep
  case slowHEIC
  case libraryMissing
  case commitUnknown
  case partBrokenOff(place: String)
  case partTakenOver(place: String)
  case partGivenBack(place: String, files: Int)
  case partDone(place: String, files: Int, seconds: String)
  case partName(run: Int64, part: Int64)
  case workerPart(part: Int64, name: String, silent: String)
  case workerSilent
  case runDone
  case runWorking
  case runListing
  case partsDone(done: String, all: String)
  case runFailed
  case runDuplicates
  case runImported
  case runFailures(failed: String)
  case runFiles(done: String, all: String)
  case askDelete
  case originalsMoved(place: String)
  case originalsDeleted
  case originalsRest
  case originalsVersions
  case verifyQuarantined
  case verifyReportName(draft: String)
  case verifyLeftOut
  case errorStandardInput
  case errorThePhoto
  case errorFormat(file: String, noun: String)
  case errorNoPicture(file: String, noun: String)
  case bytes(number: String)
  case errorEmptyInput
  case errorEmpty(file: String)
  case errorDecoderCrash(file: String)
  case errorDamaged(file: String, damage: String)
  case errorPixels(file: String, amount: String, limit: String)
  case errorMemory(file: String, amount: String, limit: String)
  case errorTooLarge(file: String, amount: String, limit: String)
  case errorShortage(reason: String, remedy: String)
  case errorShortageFor(file: String, reason: String, remedy: String)
  case errorTimeout(file: String, seconds: Int)
  case errorBlobDamaged(file: String)
  case errorBlobNotAFile(file: String)
  case errorInternal(file: String, what: String)
  case errorNoPhoto
  case errorNoSuchPhoto(photo: String)
  case errorFileSizeLimit(target: String, remedy: String)
  case errorQuota(target: String)
  case errorDiskFull(target: String)
  case errorCacheUnusable(target: String, reason: String)
  case errorStorage(target: String, operation: String, reason: String, remedy: String)
  case errorOtherTables(server: String)
  case errorNoDatabaseAddress
  case errorOtherCache
  case errorOtherBlobs(place: String)
  case errorCatalogDamaged(detail: String)
  case errorRecordAltered(detail: String)
  case errorDatabase(detail: String)
  case errorCatalog(detail: String)
  case errorServiceBusy(service: String, seconds: Int)
  case errorCacheBusy(seconds: Int)
  case errorUnreachable(service: String, detail: String)
  case errorOverloaded(service: String, detail: String)
  case errorServiceFailed(service: String, detail: String)
  case errorCancelled
  case errorSuperseded
  case errorRemoved
  case errorOwner(target: String, owner: String, user: String)
  case errorWritableByOthers(target: String)
  case errorForeignEntry(target: String, noun: String)
  case errorUser(number: Int)
  case errorNoFile(file: String)
  case errorForbidden(file: String, mode: String)
  case errorNotRead(file: String, reason: String, remedy: String)
  case errorUnreadable(file: String, reason: String)
  case errorFolder(file: String)
  case errorPipe(file: String)
  case errorNotAPhoto(file: String, noun: String)
  case errorChanged(file: String)
  case errorStackLimit(file: String, kibibytes: UInt)
  case errorAddressLimit(file: String, kibibytes: UInt)
  case errorLimits(file: String)
  case errorDecoderStart(file: String)
  case errorDecoderStack(file: String)
  case errorDecoderAnswer(file: String)
  case errorDecoderKilled(file: String)
  case errorNoLandlock(file: String)
  case errorNoSeccomp(file: String)
  case errorThreads(file: String)
  case errorForeignLoader(file: String)
  case remedyFiles
  case remedyMemory
  case remedyProcesses
  case remedyFileSize
  case remedyReadOnly
  case remedyPermissions
  case remedyDisk
  case fixVips
  case fixMagic
  case fixHEIC
  case fixLandlock
  case fixSeccomp
  case fixOther
  case fixBlobs(address: String)
  case fixBlobsClock(address: String)
  case fixDatabaseClock
  case fixDatabaseRights(address: String)
  case fixDurability(address: String)
  case doctorBlobsFailed
  case doctorBlobs(address: String, library: String)
  case doctorPromise(name: String)
  case doctorNoPromise(name: String)
  case doctorDatabaseFailed
  case doctorDatabase(version: String, address: String)
  case doctorEncrypted
  case doctorNotEncrypted
  case doctorNoTables
  case doctorClockBehind(milliseconds: Int)
  case doctorClockAhead(milliseconds: Int)
  case amount(number: String, of: String)
  case amountOf(size: String, of: String)
  case amountBeyond(of: String)
  case systemReason(errno: Int32)
  case thousandsSeparator
  case sourceKept(SourceKeptReason)
  case problem(StoreProblem)
  case repair(VerifyReport.Repair)
  case verifySummary(VerifyReport)
  case verifyAdvice(VerifyReport, repairing: Bool)
  case importTotals(ImportSummary, ImportFormatter)
  case loss(String)
  case removed(Normalization.Removed)
  case stepColor(origin: String, profile: String?)
  case detailReason(String)
  case detailRepaired(String)
  case detailRemoved(String)
  case detailLost(String)
  case speciesValues
  case genderValues
  case headerColumns
  case pageColumns
  case pageTotals
  case workerDone(parts: Int, files: Int)
  case runWorkers(Int)
  case importTooManyErrors(Int)
  case sweepDone(dryRun: Bool, files: Int, size: String, drafts: Int)
  case movedPhotos(MoveSummary)
  case movedEntries(MoveSummary)
  case movedMissing(Int)
  case movedDamaged(Int)
  case movedLeftOut(Int)
  case movedDiffering(Int)
  case movedErased(Int)
  case countedOutcome(Int, String)
  case noSuchCommand(given: String)
  case didYouMean(word: String)
  case severalPhotos(beginning: String, list: String)
  case severalAnnouncements(beginning: String, list: String)
}

extension Words {
  func callAsFunction(_ text: Text) -> String { language == .en ? text.english : text.polish }
}
