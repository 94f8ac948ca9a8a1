public import Announcements
import Foundation
import ImageContainers
import PhotoAttachments

/// Why a draft could not be submitted.
public enum SubmissionError: Error, Equatable {
  /// These steps must be completed first; nothing was sent.
  case incomplete([FlowStep])
  /// Somebody changed or cleared the draft meanwhile; what was sent of it was taken back.
  case changedMeanwhile
}

/// Makes an announcement of a draft: first its words, then its photo. Each step is written down, so
/// that a repeat goes on where the last try stopped and makes nothing twice (decision 25).
///
/// The management password is written down before anything is sent. So all who submit one draft, one
/// after the other or at once, make one announcement with one password.
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
    try flowState.reload()
    // A draft that cannot be written would forget how far it got.
    if let failure = flowState.saveFailure { throw failure }
    if flowState.draft.isSubmitted { return try await answer(flowState) }
    do {
      return try await send(flowState)
    } catch {
      // Another process may have completed what failed here.
      try? flowState.reload()
      guard flowState.draft.isSubmitted else { throw error }
      return try await answer(flowState)
    }
  }

  /// Empties the report. What was sent of it and has no photo yet is taken back: nobody could see
  /// it. An announcement that has its photo stays.
  ///
  /// - Returns: the announcement that stays, when nobody has seen its password: this is the last
  ///   moment to show it.
  @MainActor @discardableResult
  public func discard(_ flowState: ReportMissingPetFlowState) async throws -> CreatedAnnouncement? {
    try flowState.reload()
    var stays: CreatedAnnouncement?
    if let password = flowState.managementPassword {
      let announcement = try await repository.withdraw(
        idempotencyKey: flowState.draft.submissionKey)
      stays = announcement.map {
        CreatedAnnouncement(announcement: $0, managementPassword: password)
      }
    }
    try await flowState.clear()
    return stays
  }

  @MainActor
  private func answer(_ flowState: ReportMissingPetFlowState) async throws -> CreatedAnnouncement {
    if try await flowState.refreshPhoto() != .empty { await flowState.releasePhoto() }
    return CreatedAnnouncement(
      announcement: try await repository.announcement(
        id: flowState.draft.submission?.announcementID ?? ""),
      managementPassword: flowState.managementPassword)
  }

  @MainActor
  private func send(_ flowState: ReportMissingPetFlowState) async throws -> CreatedAnnouncement {
    // The photo is looked at before anything is sent: an announcement without one helps nobody.
    let photo = try await photo(of: flowState)
    flowState.handle(.submitting(managementPassword: ManagementPassword.random()))
    if let failure = flowState.saveFailure { throw failure }
    let id = try await announce(flowState)
    guard let password = flowState.managementPassword else {
      // Nothing is left to send: the photo had arrived, and only our note of that was lost.
      return try await finish(flowState, try await repository.announcement(id: id), nil)
    }
    do {
      let announcement = try await repository.attachPhoto(
        photo, to: id, managementPassword: password, client: nil)
      return try await finish(flowState, announcement, password)
    } catch let error as AnnouncementError where error == .duplicateMicrochip {
      try await takeBack(flowState, flowState.draft.submissionKey)
      throw error
    } catch AnnouncementError.notFound {
      try await takeBack(flowState, flowState.draft.submissionKey)
      throw SubmissionError.changedMeanwhile
    }
  }

  @MainActor
  private func finish(
    _ flowState: ReportMissingPetFlowState, _ announcement: Announcement, _ password: String?
  ) async throws -> CreatedAnnouncement {
    flowState.handle(.photoSent(id: announcement.id))
    if let failure = flowState.saveFailure { throw failure }
    // Cleared meanwhile: the announcement is on the list all the same, and this is its password.
    guard flowState.draft.submission?.announcementID == announcement.id else {
      return CreatedAnnouncement(announcement: announcement, managementPassword: password)
    }
    await flowState.releasePhoto()
    return CreatedAnnouncement(
      announcement: announcement, managementPassword: flowState.managementPassword)
  }

  @MainActor
  private func photo(
    of flowState: ReportMissingPetFlowState
  ) async throws -> AnnouncementPhoto {
    try await flowState.refreshPhoto()
    let (photos, draft) = (flowState.photos, flowState.draft)
    let isValid = try await photos.canContinue(draft: draft.id)
    let missing = FlowStep.allCases.filter {
      draft.missingSteps.contains($0) || ($0 == .photo && !isValid)
    }
    guard missing.isEmpty, let photo = flowState.photoAttachment else {
      throw SubmissionError.incomplete(missing.isEmpty ? [.photo] : missing)
    }
    return AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.blob.format.uti)
  }

  /// Makes the announcement, unless it is known to exist, and writes down that it does.
  @MainActor
  private func announce(_ flowState: ReportMissingPetFlowState) async throws -> String {
    if let id = flowState.draft.submission?.announcementID { return id }
    let key = flowState.draft.submissionKey
    guard let report = NewAnnouncement(flowState.draft), let password = flowState.managementPassword
    else { throw SubmissionError.changedMeanwhile }
    do {
      var created = try await repository.create(
        report, idempotencyKey: key, managementPassword: password)
      if created.managementPassword == nil {
        // Made by an older program whose answer was lost: nobody has its password, so it is made
        // again, unless it has its photo and is on the list.
        if try await repository.withdraw(idempotencyKey: key) == nil {
          created = try await repository.create(
            report, idempotencyKey: key, managementPassword: password)
        }
      }
      flowState.handle(.announced(id: created.announcement.id, key: key))
    } catch let error as AnnouncementError {
      switch error {
      case .invalid, .duplicateMicrochip, .idempotencyMismatch: try await takeBack(flowState, key)
      default: break
      }
      throw error
    }
    if let failure = flowState.saveFailure { throw failure }
    guard let id = flowState.draft.submission?.announcementID, flowState.draft.submissionKey == key
    else {
      _ = try await repository.withdraw(idempotencyKey: key)
      throw SubmissionError.changedMeanwhile
    }
    return id
  }

  /// Gives up an announcement that cannot be completed, so that the draft can be changed again.
  @MainActor
  private func takeBack(_ flowState: ReportMissingPetFlowState, _ key: UUID) async throws {
    guard try await repository.withdraw(idempotencyKey: key) == nil else { return }
    flowState.handle(.notAnnounced(key: key, newKey: UUID()))
  }
}

extension NewAnnouncement {
  /// What a draft says once its steps are completed; nil before.
  init?(_ draft: ReportDraft) {
    guard let details = draft.animalDescription, let contact = draft.contactDetails else {
      return nil
    }
    self.init(
      species: details.species.id, breed: details.race, sex: details.gender,
      dateOfDisappearance: details.disappearanceDate, ownerName: contact.name,
      ownerPhone: contact.phone)
    location = details.coordinate
    age = details.age
    description = details.additionalDescription
    petName = draft.petName
    email = contact.email
    reward = contact.rewardDescription
    microchipNumber = draft.chipNumber
  }
}
