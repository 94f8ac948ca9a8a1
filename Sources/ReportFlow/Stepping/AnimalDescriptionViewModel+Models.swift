public import Announcements

// The screen's parts as values that any surface can draw (seed 031, section 3).
extension AnimalDescriptionViewModel {
  private func message(_ field: FormField) -> String? { errors.of(field)?.message(in: words) }

  /// The date field; its text is the day as `2025-12-01`.
  public var dateFieldModel: ValidatedTextField.Model {
    ValidatedTextField.Model(
      label: words(.dateLabel), text: disappearanceDate.description, errorMessage: message(.date),
      accessibilityID: "animalDescription.datePicker.tap")
  }

  /// The name field (seed 046).
  public var petNameTextFieldModel: ValidatedTextField.Model {
    ValidatedTextField.Model(
      label: words(.petNameLabel), placeholder: words(.petNamePlaceholder), text: petName,
      errorMessage: message(.petName),
      accessibilityID: "animalDescription.animalNameTextField.input")
  }

  /// The species list.
  public var speciesDropdownModel: DropdownView.Model {
    DropdownView.Model(
      label: words(.speciesLabel), placeholder: words(.speciesPlaceholder),
      options: taxonomy.options.map { $0.displayName(in: words) },
      selectedIndex: taxonomy.options.firstIndex { $0.id == selectedSpecies?.id },
      errorMessage: message(.species), banner: isTaxonomyOffline ? words(.speciesOffline) : nil,
      accessibilityID: "animalDescription.speciesDropdown.tap")
  }

  /// What the button says that asks for the list once more; nil while the list is up to date.
  public var taxonomyRetryTitle: String? { isTaxonomyOffline ? words(.speciesRetry) : nil }

  /// The race field, disabled until there is a species.
  public var raceTextFieldModel: ValidatedTextField.Model {
    let isDisabled = selectedSpecies == nil
    return ValidatedTextField.Model(
      label: words(.raceLabel), placeholder: words(.racePlaceholder), text: race,
      errorMessage: message(.race), helperText: isDisabled ? words(.raceChooseSpecies) : nil,
      isDisabled: isDisabled, accessibilityID: "animalDescription.raceTextField.input")
  }

  /// The two gender cards in the order of seed 031.
  public var genderSelectorModel: SelectorView.Model {
    let genders = Gender.allCases
    let prefix = "animalDescription.gender"
    return SelectorView.Model(
      label: words(.genderLabel), options: genders.map { $0.displayName(in: words) },
      selectedIndex: genders.firstIndex { $0 == selectedGender }, errorMessage: message(.gender),
      accessibilityIDPrefix: prefix,
      accessibilityIDs: genders.map { "\(prefix).\($0.rawValue).tap" })
  }

  /// The age field.
  public var ageTextFieldModel: ValidatedTextField.Model {
    ValidatedTextField.Model(
      label: words(.ageLabel), placeholder: words(.agePlaceholder), text: age,
      errorMessage: message(.age), keyboardType: .numberPad,
      accessibilityID: "animalDescription.ageTextField.input")
  }

  /// The place in words.
  public var nearTextFieldModel: ValidatedTextField.Model {
    ValidatedTextField.Model(
      label: words(.locationNearLabel), placeholder: words(.locationNearPlaceholder), text: near,
      errorMessage: message(.near), accessibilityID: "animalDescription.nearTextField.input")
  }

  /// The coordinates and the button that fills them.
  public var locationCoordinateModel: LocationCoordinateView.Model {
    LocationCoordinateView.Model(
      latitudeField: ValidatedTextField.Model(
        label: words(.locationLatitudeLabel), placeholder: words(.locationLatitudePlaceholder),
        text: latitude, errorMessage: message(.latitude), keyboardType: .decimalPad,
        accessibilityID: "animalDescription.latitudeTextField.input"),
      longitudeField: ValidatedTextField.Model(
        label: words(.locationLongitudeLabel), placeholder: words(.locationLongitudePlaceholder),
        text: longitude, errorMessage: message(.longitude), keyboardType: .decimalPad,
        accessibilityID: "animalDescription.longitudeTextField.input"),
      gpsButtonTitle: words(.locationRequest),
      gpsButtonAccessibilityID: "animalDescription.requestGPSButton.tap",
      helperText: gpsHelper.map { words($0) })
  }

  /// The question whether to take the photo's position; nil when the photo has none.
  public var photoPositionOffer: String? {
    photoPosition.map {
      words(.locationPhotoOffer, ["place": CoordinateText.place($0, in: words)])
    }
  }

  /// The additional description with its counter.
  public var descriptionTextAreaModel: TextAreaView.Model {
    let (count, limit) = (additionalDescription.count, DescriptionRules.longestDescription)
    return TextAreaView.Model(
      label: words(.additionalLabel), placeholder: words(.additionalPlaceholder),
      text: additionalDescription, maxLength: limit,
      characterCountText: words(
        .additionalCounter, ["count": String(count), "limit": String(limit)]),
      characterCountColor: count >= limit ? .warning : .secondary,
      accessibilityID: "animalDescription.descriptionTextArea.input")
  }

  /// The alert about a refused permission; nil while it is not shown.
  public var permissionAlert: PermissionAlert? {
    guard isPermissionAlertShown else { return nil }
    return PermissionAlert(
      title: words(.locationAlertTitle), message: words(.locationAlertMessage),
      cancelTitle: words(.flowCancel), settingsTitle: words(.locationGoToSettings),
      accessibilityIDPrefix: "animalDescription.permissionAlert")
  }
}

extension Gender {
  /// What people call the gender.
  public func displayName(in words: Words) -> String {
    words(self == .male ? .genderMale : .genderFemale)
  }
}
