import Announcements
import Foundation
import PhotoModel
import ReportFlow

extension Announcement {
  /// The object of seed 058 with this project's additional fields. Unknown values are left out, as in the HTTP API.
  var json: JSON {
    let json = ([:] as JSON).addingKnown([
      "id": id, "petName": petName, "petNameGiven": details.petNameGiven ? Bool?.none : false,
      "species": species, "status": status.rawValue, "photoUrl": photoUrl?.absoluteString,
      "location": location?.json, "description": description, "contactName": contactName,
      "contactPhone": contactPhone, "createdAt": createdAt, "updatedAt": updatedAt,
      "speciesID": details.speciesID, "breed": details.breed, "sex": details.sex?.rawValue,
      "age": details.age, "dateOfDisappearance": details.dateOfDisappearance?.description,
    ])
    let texts = PublishedTexts.fields.compactMap { field in
      details.texts[field].map { JSON.Member(field.rawValue, $0) }
    }
    return json.adding(texts).addingKnown(["photoSHA256": details.photoSHA256])
  }
}

extension Location {
  fileprivate var json: JSON {
    let point: JSON = ["latitude": latitude, "longitude": longitude]
    return point.addingKnown(["address": address])
  }
}

extension [ReportFlow.ValidationError] {
  /// Returns the documented `errors`.
  func json(in words: Words) -> JSON {
    .array(
      map {
        ["field": $0.field.rawValue, "code": $0.code, "message": $0.message(in: words)]
      })
  }
}

extension [InputAdjustment] {
  /// Returns the member `adjusted` of a step's result. Empty if everything was kept.
  func json(in words: Words) -> [JSON.Member] {
    guard !isEmpty else { return [] }
    let list = map { one -> JSON in
      ["field": one.field.rawValue, "code": one.code, "message": one.message(in: words)]
    }
    return [JSON.Member("adjusted", list)]
  }
}

extension Toast {
  /// Returns the documented `toast`.
  func json(in words: Words) -> JSON {
    ["message": message(in: words), "seconds": seconds]
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
        let text = self.text(of: field)
        let known: String? = field.isText || !text.isEmpty ? text : nil
        return JSON.Member(field == .petName ? "name" : field.rawValue, known)
      }
    }
    let capture = descriptionInput.capture?.captureMethod.rawValue
    let missing = missingSteps(with: photo)
    let isDescribed = completedSteps.contains(.description)
    let isReachable = completedSteps.contains(.contact)
    return [
      "draft": id, "step": step.rawValue,
      "completedSteps": FlowStep.allCases.filter {
        completedSteps.contains($0) && !missing.contains($0)
      }.map(\.rawValue),
      "missingSteps": missing.map(\.rawValue), "chip": ["number": chipInput] as JSON,
      "photo": photo.json,
      "description": JSON.object(form(.description)).adding(["captureMethod": capture]),
      "contact": JSON.object(form(.contact)),
      "counted": [
        "chipNumber": chipNumber, "petName": isDescribed ? petName : nil,
        "description": isDescribed ? animalDescription?.json : nil,
        "contact": isReachable ? contactDetails?.json : nil,
      ] as JSON,
      "announcementId": submission?.announcementID, "isSubmitted": submission?.isComplete == true,
    ]
  }
}

extension AnimalDescriptionDetails {
  fileprivate var json: JSON {
    let json: JSON = [
      "date": disappearanceDate.description, "species": species.id, "race": race,
      "gender": gender.rawValue, "age": age, "latitude": latitude, "longitude": longitude,
      "description": additionalDescription, "lastUpdated": lastUpdated,
    ]
    let texts = PublishedTexts.fields.filter(FlowStep.description.fields.contains)
    return json.adding(texts.map { JSON.Member($0.rawValue, self.texts[$0]) })
  }
}

extension ContactDetails {
  fileprivate var json: JSON {
    ["name": name, "phone": phone, "email": email, "reward": rewardDescription]
  }
}
