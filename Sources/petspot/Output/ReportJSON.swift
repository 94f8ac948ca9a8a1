import Announcements
import Foundation
import PhotoModel
import ReportFlow

extension Announcement {
  /// The object of seed 058 with this project's additional fields. Unknown values are left out, as in the HTTP API.
  var json: JSON {
    var members: [JSON.Member] = []
    func add(_ key: String, _ value: JSON?) {
      if let value { members.append(JSON.Member(key: key, value: value)) }
    }
    add("id", .string(id))
    add("petName", .string(petName))
    if !details.petNameGiven { add("petNameGiven", false) }
    add("species", .string(species))
    add("status", .string(status.rawValue))
    add("photoUrl", photoUrl.map { .string($0.absoluteString) })
    add("location", location?.json)
    add("description", description.map(JSON.string))
    add("contactName", .string(contactName))
    add("contactPhone", .string(contactPhone))
    add("createdAt", .date(createdAt))
    add("updatedAt", .date(updatedAt))
    add("speciesID", details.speciesID.map(JSON.string))
    add("breed", details.breed.map(JSON.string))
    add("sex", details.sex.map { .string($0.rawValue) })
    add("age", details.age.map(JSON.int))
    add("dateOfDisappearance", details.dateOfDisappearance.map { .string($0.description) })
    for field in PublishedTexts.fields {
      add(field.rawValue, details.texts[field].map(JSON.string))
    }
    add("photoSHA256", details.photoSHA256.map(JSON.string))
    return .object(members)
  }
}

extension Location {
  fileprivate var json: JSON {
    let point: JSON = ["latitude": .double(latitude), "longitude": .double(longitude)]
    return address.map { point.adding(["address": .string($0)]) } ?? point
  }
}

extension [ReportFlow.ValidationError] {
  /// Returns the documented `errors`.
  func json(in words: Words) -> JSON {
    .array(
      map {
        [
          "field": .string($0.field.rawValue), "code": .string($0.code),
          "message": .string($0.message(in: words)),
        ]
      })
  }
}

extension [InputAdjustment] {
  /// Returns the member `adjusted` of a step's result. Empty if everything was kept.
  func json(in words: Words) -> [JSON.Member] {
    guard !isEmpty else { return [] }
    let list = map { one -> JSON in
      [
        "field": .string(one.field.rawValue), "code": .string(one.code),
        "message": .string(one.message(in: words)),
      ]
    }
    return [JSON.Member(key: "adjusted", value: .array(list))]
  }
}

extension Toast {
  /// Returns the documented `toast`.
  func json(in words: Words) -> JSON {
    ["message": .string(message(in: words)), "seconds": .double(seconds)]
  }
}

extension ReportDraft {
  /// Returns the steps that still prevent submission, given the current state of the photo.
  func missingSteps(with photo: PhotoAttachmentStatus) -> [FlowStep] {
    if isSubmitted { return [] }
    let hasPhoto = if case .confirmed = photo { true } else { false }
    return FlowStep.allCases.filter {
      missingSteps.contains($0) || ($0 == .photo && !hasPhoto)
    }
  }

  /// Returns the whole draft: the typed values, and the values that would be submitted under `counted`. Omits the
  /// management password, because it is shown only once.
  func json(photo: PhotoAttachmentStatus) -> JSON {
    func form(_ step: FlowStep) -> [JSON.Member] {
      step.fields.map { field in
        let text = JSON.string(self.text(of: field))
        return JSON.Member(
          key: field == .petName ? "name" : field.rawValue,
          value: field.isText || text != "" ? text : .null)
      }
    }
    let capture = descriptionInput.capture?.captureMethod.rawValue
    let missing = missingSteps(with: photo)
    let isDescribed = completedSteps.contains(.description)
    let isReachable = completedSteps.contains(.contact)
    return [
      "draft": .string(id), "step": .string(step.rawValue),
      "completedSteps": .strings(
        FlowStep.allCases.filter { completedSteps.contains($0) && !missing.contains($0) }
          .map(\.rawValue)),
      "missingSteps": .strings(missing.map(\.rawValue)),
      "chip": ["number": .string(chipInput)],
      "photo": photo.json,
      "description": .object(form(.description)).adding(["captureMethod": .optional(capture)]),
      "contact": .object(form(.contact)),
      "counted": [
        "chipNumber": .optional(chipNumber), "petName": .optional(isDescribed ? petName : nil),
        "description": isDescribed ? animalDescription?.json ?? .null : .null,
        "contact": isReachable ? contactDetails?.json ?? .null : .null,
      ],
      "announcementId": .optional(submission?.announcementID),
      "isSubmitted": .bool(submission?.isComplete == true),
    ]
  }
}

extension AnimalDescriptionDetails {
  fileprivate var json: JSON {
    let json: JSON = [
      "date": .string(disappearanceDate.description), "species": .string(species.id),
      "race": .string(race), "gender": .string(gender.rawValue),
      "age": age.map(JSON.int) ?? .null,
      "latitude": latitude.map(JSON.double) ?? .null,
      "longitude": longitude.map(JSON.double) ?? .null,
      "description": .optional(additionalDescription), "lastUpdated": .date(lastUpdated),
    ]
    let texts = PublishedTexts.fields.filter(FlowStep.description.fields.contains)
    return json.adding(
      texts.map { JSON.Member(key: $0.rawValue, value: .optional(self.texts[$0])) })
  }
}

extension ContactDetails {
  fileprivate var json: JSON {
    [
      "name": .string(name), "phone": .string(phone), "email": .optional(email),
      "reward": .optional(rewardDescription),
    ]
  }
}
