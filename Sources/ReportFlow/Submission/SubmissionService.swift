public import Announcements
package import Foundation
import Hashing
import ImageContainers

/// Why a draft could not be submitted.
public enum SubmissionError: Error, Equatable {
  /// These steps must be completed first; nothing was sent.
  case incomplete([FlowStep])
  /// Somebody changed or cleared the draft meanwhile; what was sent of it was taken back.
  case changedMeanwhile
}

/// Turns a draft into an announcement: first its texts, then its photo. Each step is saved, so that
/// a repeated submission resumes where the last one stopped, and creates nothing twice (decision
/// 25).
///
/// The management password is written down before anything is sent. So all who submit one draft, one
/// after the other or at once, make one announcement with one password. A server decides another one,
/// of one key always the same: the first answer replaces the draft's own, before the photo goes,
/// and a lost answer is asked for again.
public struct AnnouncementSubmissionService: Sendable {
  private let repository: any AnnouncementRepositoryProtocol

  /// A service that sends to `repository`.
  public init(to repository: any AnnouncementRepositoryProtocol) { self.repository = repository }

  /// Submits the draft of `flowState`, or what is left to do of it. A draft that was submitted
  /// before answers the same announcement, with the password only while it was not shown.
  ///
  /// Throws `SubmissionError`, `AnnouncementError`, and what the draft's and the photo's store throw.
  @MainActor
  public func submit(_ flowState: ReportMissingPetFlowState) async throws -> CreatedAnnouncement {
    try await submit(session: flowState)
  }

  /// Empties the report. What was sent of it and has no photo yet is taken back: it would never be
  /// visible. An announcement that has its photo stays.
  ///
  /// - Returns: the announcement that stays, when its password was never seen: this is the last
  ///   moment to show it.
  @MainActor @discardableResult
  public func discard(_ flowState: ReportMissingPetFlowState) async throws -> CreatedAnnouncement? {
    try await discard(session: flowState)
  }

  /// `submit(_:)` for any surface's session.
  package func submit(session: some SubmissionSession) async throws -> CreatedAnnouncement {
    // A draft that cannot be written would forget how far it got.
    try await session.refresh()
    if await session.draft.isSubmitted { return try await answer(session) }
    do {
      return try await send(session)
    } catch {
      // Another process may have completed what failed here.
      try? await session.refresh()
      guard await session.draft.isSubmitted else { throw error }
      return try await answer(session)
    }
  }

  /// `discard(_:)` for any surface's session.
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
    // The photo is looked at before anything is sent: an announcement without one does not help.
    let photo = try await photo(of: session)
    try await session.record(.submitting(managementPassword: ManagementPassword.random()))
    let id = try await announce(session)
    guard let password = await session.draft.submission?.managementPassword else {
      // Nothing is left to send: the photo had arrived, and only our note of that was lost.
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
    // Cleared meanwhile: the announcement is on the list all the same, and this is its password.
    guard submission?.announcementID == announcement.id else {
      return CreatedAnnouncement(announcement: announcement, managementPassword: password)
    }
    await session.releasePhoto()
    return CreatedAnnouncement(
      announcement: announcement, managementPassword: submission?.managementPassword)
  }

  private func photo(of session: some SubmissionSession) async throws -> AnnouncementPhoto {
    let (photo, draft) = (try await session.validPhoto(), await session.draft)
    let missing = FlowStep.allCases.filter {
      draft.missingSteps.contains($0) || ($0 == .photo && photo == nil)
    }
    guard missing.isEmpty, let photo else {
      throw SubmissionError.incomplete(missing.isEmpty ? [.photo] : missing)
    }
    return AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.blob.format.uti)
  }

  /// Makes the announcement, unless it is known to exist, and writes down that it does.
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
        // Made by an older program whose answer was lost: its password is lost, so it is made
        // again, unless it has its photo and is on the list.
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

  /// Gives up an announcement that cannot be completed, so that the draft can be changed again.
  private func abandon(_ session: some SubmissionSession, _ key: UUID) async throws {
    let credentials = await session.draft.submission?.credentials
    guard try await repository.withdraw(idempotencyKey: key, credentials: credentials) == nil
    else { return }
    // The caller reports the first error; a record that fails is made by the next attempt.
    _ = try? await session.record(.notAnnounced(key: key, newKey: UUID()))
  }
}

extension NewAnnouncement {
  /// What a draft says once its steps are completed; nil before.
  package init?(_ draft: ReportDraft) {
    guard let details = draft.animalDescription, let contact = draft.contactDetails else {
      return nil
    }
    self.init(
      species: details.species.id, breed: details.race, sex: details.gender,
      dateOfDisappearance: details.disappearanceDate, ownerName: contact.name,
      ownerPhone: contact.phone)
    take(details, contact, petName: draft.petName, chip: draft.chipNumber)
  }

  /// Replaces every field that the steps ask for with what they have now, nil included.
  package mutating func take(
    _ details: AnimalDescriptionDetails, _ contact: ContactDetails, petName: String?, chip: String?
  ) {
    (species, breed, sex) = (details.species.id, details.race, details.gender)
    (age, dateOfDisappearance) = (details.age, details.disappearanceDate)
    (location, description) = (details.coordinate, details.additionalDescription)
    texts = details.texts
    texts[.reward] = contact.rewardDescription
    (ownerName, ownerPhone, email) = (contact.name, contact.phone, contact.email)
    (self.petName, microchipNumber) = (petName, chip)
  }
}

extension UUID {
  /// The key under which a repository keeps what a client names by `text`, its `Idempotency-Key`: of
  /// one text always the same. Its version is 8 (RFC 9562, 5.8) and a draft's own key has 4, so that
  /// no text of a client means a draft's announcement.
  package init(idempotencyKey text: String) {
    var bytes = Array(SHA256.digest(of: Array(("http:" + text).utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
