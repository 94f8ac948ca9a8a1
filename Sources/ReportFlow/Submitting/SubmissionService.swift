public import Announcements
import Foundation
import ImageContainers
import PhotoAttachments

/// Why a draft could not be submitted.
public enum SubmissionError: Error, Equatable {
  /// These steps must be completed first; nothing was sent.
  case incomplete([FlowStep])
  /// The draft cannot be written, so that how far it got would be forgotten; nothing was sent.
  case notSaved
}

/// Makes an announcement of a draft: first its words, then its photo. Each step is written down, so
/// that a repeat goes on where the last try stopped and makes nothing twice (decision 25).
public struct AnnouncementSubmissionService: Sendable {
  private let repository: any AnnouncementRepositoryProtocol

  /// A service that sends to `repository`.
  public init(to repository: any AnnouncementRepositoryProtocol) { self.repository = repository }

  /// Submits the draft of `flowState`, or what is left to do of it. A draft that was submitted
  /// before answers the same announcement, with the password only while it was not shown.
  ///
  /// Throws `SubmissionError`, `AnnouncementError`, and what the photo's store throws.
  @MainActor
  public func submit(_ flowState: ReportMissingPetFlowState) async throws -> CreatedAnnouncement {
    if let done = flowState.draft.submission, done.isComplete {
      let announcement = try await repository.announcement(id: done.announcementID)
      return CreatedAnnouncement(
        announcement: announcement, managementPassword: flowState.managementPassword)
    }
    // The photo is read before anything is sent: an announcement whose photo is lost stays behind.
    try await flowState.refreshPhoto()
    let photo = flowState.photoAttachment.map { photo in
      AnnouncementPhoto(
        id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.blob.format.uti)
    }
    let missing = FlowStep.allCases.filter {
      flowState.draft.missingSteps.contains($0) || ($0 == .photo && photo == nil)
    }
    guard missing.isEmpty, let photo, let report = NewAnnouncement(flowState.draft) else {
      throw SubmissionError.incomplete(missing)
    }
    guard flowState.saveFailure == nil else { throw SubmissionError.notSaved }
    if flowState.managementPassword == nil {
      let created = try await repository.create(
        report, idempotencyKey: flowState.draft.submissionKey)
      flowState.handle(
        .announced(
          id: created.announcement.id, managementPassword: created.managementPassword))
    }
    guard let submission = flowState.draft.submission else { throw SubmissionError.notSaved }
    guard let password = submission.managementPassword else {
      // The photo arrived before, and only the note of it was lost.
      flowState.handle(.photoSent)
      let announcement = try await repository.announcement(id: submission.announcementID)
      return CreatedAnnouncement(announcement: announcement, managementPassword: nil)
    }
    let announcement = try await repository.attachPhoto(
      photo, to: submission.announcementID, managementPassword: password)
    flowState.handle(.photoSent)
    return CreatedAnnouncement(announcement: announcement, managementPassword: password)
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
