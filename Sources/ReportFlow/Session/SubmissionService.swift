public import Announcements
package import Foundation
import Hashing
import ImageContainers
import PhotoModel

/// The reasons why a draft couldn't be submitted.
public enum SubmissionError: Error, Equatable {
  /// These steps must be completed first. Nothing was sent.
  case incomplete([FlowStep])
  /// Another session changed or cleared the draft meanwhile. Its announcement was withdrawn.
  case changedMeanwhile
}

/// Publishes a draft as an announcement, first its texts and then its photo. Each step is saved, so that a repeated
/// submission resumes where the last one stopped and creates nothing twice (decision 25).
///
/// The draft stores a management password before anything is sent. All sessions that submit a draft, in turn or at
/// once, therefore create one announcement with one password. A server chooses another password, always the same for
/// one key. Its response replaces the draft's password before the photo is sent. If the response is lost, the next
/// attempt requests it again.
public struct AnnouncementSubmissionService: Sendable {
  private let repository: any AnnouncementRepositoryProtocol

  /// Creates a service that sends to `repository`.
  public init(to repository: any AnnouncementRepositoryProtocol) { self.repository = repository }

  /// Submits a session's draft, or resumes its submission. A draft that was already submitted returns its announcement,
  /// with the password only if it wasn't shown yet.
  package func submit(session: some SubmissionSession) async throws -> CreatedAnnouncement {
    // Fail early if the draft can't be written, because it couldn't store its progress.
    try await session.refresh()
    if await session.draft.isSubmitted { return try await answer(session) }
    do {
      return try await send(session)
    } catch {
      // Another process may have completed the submission that failed here.
      try? await session.refresh()
      guard await session.draft.isSubmitted else { throw error }
      return try await answer(session)
    }
  }

  /// Clears a session's report. Withdraws its announcement if the photo wasn't sent yet.
  @discardableResult
  package func discard(session: some SubmissionSession) async throws -> CreatedAnnouncement? {
    try await session.refresh()
    let draft = await session.draft
    var stays: CreatedAnnouncement?
    if let password = draft.submission?.managementPassword {
      stays = try await repository.withdraw(
        idempotencyKey: draft.submissionKey, credentials: draft.submission?.credentials
      ).map {
        CreatedAnnouncement(announcement: $0, managementPassword: password)
      }
    }
    try await session.clear()
    return stays
  }

  private func answer(_ session: some SubmissionSession) async throws -> CreatedAnnouncement {
    await session.releasePhoto()
    let submission = await session.draft.submission
    return CreatedAnnouncement(
      announcement: try await repository.announcement(id: submission?.announcementID ?? ""),
      managementPassword: submission?.managementPassword)
  }

  private func send(_ session: some SubmissionSession) async throws -> CreatedAnnouncement {
    // Check the photo before sending anything, because an announcement without one is useless.
    let photo = try await photo(of: session)
    try await session.record(.submitting(managementPassword: ManagementPassword.random()))
    let id = try await announce(session)
    guard let password = await session.draft.submission?.managementPassword else {
      // The photo had already arrived, and only the note of that was lost.
      return try await finish(session, try await repository.announcement(id: id), nil)
    }
    do {
      let announcement = try await repository.attachPhoto(
        photo, to: id, managementPassword: password, client: nil)
      return try await finish(session, announcement, password)
    } catch let error as AnnouncementError where error == .duplicateMicrochip {
      try await abandon(session, await session.draft.submissionKey)
      throw error
    } catch AnnouncementError.notFound {
      try await abandon(session, await session.draft.submissionKey)
      throw SubmissionError.changedMeanwhile
    }
  }

  private func finish(
    _ session: some SubmissionSession, _ announcement: Announcement, _ password: String?
  ) async throws -> CreatedAnnouncement {
    try await session.record(.photoSent(id: announcement.id))
    let submission = await session.draft.submission
    // If the draft was cleared meanwhile, the announcement is published anyway, and this is its password.
    guard submission?.announcementID == announcement.id else {
      return CreatedAnnouncement(announcement: announcement, managementPassword: password)
    }
    await session.releasePhoto()
    return CreatedAnnouncement(
      announcement: announcement, managementPassword: submission?.managementPassword)
  }

  private func photo(of session: some SubmissionSession) async throws -> AnnouncementPhoto {
    let photo = try await session.validPhoto()
    let draft = await session.draft
    let missing = FlowStep.allCases.filter {
      draft.missingSteps.contains($0) || ($0 == .photo && photo == nil)
    }
    guard missing.isEmpty, let photo else {
      throw SubmissionError.incomplete(missing.isEmpty ? [.photo] : missing)
    }
    return AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.blob.format.uti)
  }

  /// Creates the announcement unless the draft already contains its id, and stores the id in the draft.
  private func announce(_ session: some SubmissionSession) async throws -> String {
    let draft = await session.draft
    if let id = draft.submission?.announcementID { return id }
    let key = draft.submissionKey
    guard let report = NewAnnouncement(draft), let password = draft.submission?.managementPassword
    else { throw SubmissionError.changedMeanwhile }
    var made: AnnouncementCredentials?
    do {
      var created = try await repository.create(
        report, idempotencyKey: key, managementPassword: password)
      if created.managementPassword == nil {
        // An older program created this announcement, and its response with the password was lost. Create it again
        // unless it already has its photo and is published.
        if try await repository.withdraw(idempotencyKey: key, credentials: nil) == nil {
          created = try await repository.create(
            report, idempotencyKey: key, managementPassword: password)
        }
      }
      try await session.record(
        .announced(
          id: created.announcement.id, key: key, managementPassword: created.managementPassword))
      made = created.managementPassword.map {
        AnnouncementCredentials(id: created.announcement.id, managementPassword: $0)
      }
    } catch let error as AnnouncementError {
      switch error {
      case .invalid, .duplicateMicrochip, .idempotencyMismatch, .keyTaken:
        try await abandon(session, key)
      default: break
      }
      throw error
    }
    let now = await session.draft
    guard let id = now.submission?.announcementID, now.submissionKey == key else {
      _ = try await repository.withdraw(idempotencyKey: key, credentials: made)
      throw SubmissionError.changedMeanwhile
    }
    return id
  }

  /// Withdraws an announcement that can't be completed, so that the draft can be changed again.
  private func abandon(_ session: some SubmissionSession, _ key: UUID) async throws {
    let credentials = await session.draft.submission?.credentials
    guard try await repository.withdraw(idempotencyKey: key, credentials: credentials) == nil
    else { return }
    // The caller throws the first error. If this write fails, the next attempt repeats it.
    _ = try? await session.record(.notAnnounced(key: key, newKey: UUID()))
  }
}

extension NewAnnouncement {
  /// Creates the texts of an announcement from a draft, or returns `nil` until its steps are completed.
  package init?(_ draft: ReportDraft) {
    guard let details = draft.animalDescription, let contact = draft.contactDetails else {
      return nil
    }
    self.init(
      species: details.species.id, breed: details.race, sex: details.gender,
      dateOfDisappearance: details.disappearanceDate, ownerName: contact.name,
      ownerPhone: contact.phone)
    replaceFields(details, contact, petName: draft.petName, chip: draft.chipNumber)
  }

  /// Replaces every field that the steps ask for with its current value, including `nil`.
  package mutating func replaceFields(
    _ details: AnimalDescriptionDetails, _ contact: ContactDetails, petName: String?, chip: String?
  ) {
    species = details.species.id
    breed = details.race
    sex = details.gender
    age = details.age
    dateOfDisappearance = details.disappearanceDate
    location = details.coordinate
    description = details.additionalDescription
    texts = details.texts
    texts[.reward] = contact.rewardDescription
    ownerName = contact.name
    ownerPhone = contact.phone
    email = contact.email
    self.petName = petName
    microchipNumber = chip
  }
}

extension UUID {
  /// Derives the key under which a repository stores a client's `Idempotency-Key`. Equal texts give equal keys. The
  /// result has UUID version 8 (RFC 9562, 5.8) and a draft's own key has version 4, so a client's text can't match a
  /// draft's announcement.
  package init(idempotencyKey text: String) {
    var bytes = Array(SHA256.digest(of: Array(("http:" + text).utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
