public import Announcements
import PhotoModel
public import ReportFlow

// The parts of the screen as values that any surface can draw (seed 031, section 3).
extension AnimalDescriptionViewModel {
  /// Returns the model of a text field.
  public func fieldModel(_ field: FormField) -> ValidatedTextField.Model {
    model(field, self[field])
  }

  private func model(_ field: FormField, _ text: String) -> ValidatedTextField.Model {
    field.model(text, errors: errors, in: words)
  }

  /// The date field. Its text has the form `2025-12-01`.
  public var dateFieldModel: ValidatedTextField.Model {
    model(.date, disappearanceDate.description)
  }

  /// The name field (seed 046).
  public var petNameTextFieldModel: ValidatedTextField.Model { fieldModel(.petName) }

  /// The species list.
  public var speciesDropdownModel: DropdownView.Model {
    let field = model(.species, "")
    return DropdownView.Model(
      label: field.label, placeholder: field.placeholder,
      options: taxonomy.options.map { $0.displayName(in: words) },
      selectedIndex: taxonomy.options.firstIndex { $0.id == selectedSpecies?.id },
      errorMessage: field.errorMessage, banner: isTaxonomyOffline ? words("species.offline") : nil,
      accessibilityID: field.accessibilityID)
  }

  /// The title of the button that fetches the list again, or `nil` if the list is up to date.
  public var taxonomyRetryTitle: String? { isTaxonomyOffline ? words("species.retry") : nil }

  /// The breed field, which is disabled until a species is chosen.
  public var raceTextFieldModel: ValidatedTextField.Model {
    let isDisabled = selectedSpecies == nil
    return FormField.race.model(
      race, errors: errors, helper: isDisabled ? "race.chooseSpecies" : nil, isDisabled: isDisabled,
      in: words)
  }

  /// The two gender cards in the order of seed 031.
  public var genderSelectorModel: SelectorView.Model {
    let genders = Gender.allCases
    let field = model(.gender, "")
    return SelectorView.Model(
      label: field.label, options: genders.map { $0.displayName(in: words) },
      selectedIndex: genders.firstIndex { $0 == selectedGender }, errorMessage: field.errorMessage,
      accessibilityIDPrefix: field.accessibilityID,
      accessibilityIDs: genders.map { "\(field.accessibilityID).\($0.rawValue).tap" })
  }

  /// The age field.
  public var ageTextFieldModel: ValidatedTextField.Model { fieldModel(.age) }

  /// The coordinate fields and the button that fills them.
  public var locationCoordinateModel: LocationCoordinateView.Model {
    LocationCoordinateView.Model(
      latitudeField: fieldModel(.latitude), longitudeField: fieldModel(.longitude),
      gpsButtonTitle: words("location.request"),
      gpsButtonAccessibilityID: "animalDescription.requestGPSButton.tap",
      helperText: gpsHelper.map { words($0) })
  }

  /// The question whether to use the photo's position, or `nil` if the photo has none.
  public var photoPositionOffer: String? {
    photoPosition.map { CoordinateText.photoOffer($0, in: words) }
  }

  /// The additional description with its counter.
  public var descriptionTextAreaModel: TextAreaView.Model {
    let text = additionalDescription
    let limit = Announcement.maxDescriptionLength
    let field = model(.description, text)
    return TextAreaView.Model(
      label: field.label, placeholder: field.placeholder, text: text, maxLength: limit,
      characterCountText: FormField.description.counter(of: text, in: words) ?? "",
      characterCountColor: text.count >= limit ? .warning : .secondary,
      accessibilityID: field.accessibilityID)
  }

  /// The alert about a denied permission, or `nil` if it isn't shown.
  public var permissionAlert: PermissionAlert? {
    guard isPermissionAlertShown else { return nil }
    return PermissionAlert(
      title: words("location.alertTitle"), message: words("location.alertMessage"),
      cancelTitle: words("flow.cancel"), settingsTitle: words("location.goToSettings"),
      accessibilityIDPrefix: "animalDescription.permissionAlert")
  }
}
