/// Drafts in the first stored form, which has no version, exactly as the program wrote them. Only the lists of races
/// are shortened.
enum GoldenDrafts {
  /// Input in progress, some of it invalid, and nothing submitted.
  static let typed = #"""
    {"chipInput":"61609-39000-12345","chipNumber":"616093900012345",
    "completedSteps":["chip"],"contactInput":{"email":"","name":"Jan","phone":"",
    "reward":""},"descriptionInput":{"additionalDescription":"","age":"99",
    "capture":{"captureMethod":"manual","latitude":52.2,"permissionStatus":"notDetermined",
    "timestamp":817005257.8763763},"date":"2026-11-22","latitude":"52.2","longitude":"",
    "petName":"","race":"Beagle","species":{"id":"dog","races":{"en":["Beagle"],
    "pl":["Beagle"]}}},"id":"typed","step":"photo",
    "submissionKey":"ACCFEBEE-A0A5-4BC3-B99F-9B6784C2175C"}
    """#
  /// Every step is done, and every field is filled in.
  static let whole = #"""
    {"animalDescription":{"additionalDescription":"białe łapy","age":4,
    "disappearanceDate":"2025-11-18","gender":"female","lastUpdated":817005260.8769958,
    "latitude":52.2297,"longitude":21.0122,"race":"Baran","species":{"id":"rabbit",
    "races":{"en":["Beagle"],"pl":["Beagle"]}}},"chipInput":"61609-39000-12345",
    "chipNumber":"616093900012345","completedSteps":["photo","description","contact",
    "chip"],"contactDetails":{"email":"jan@example.org","name":"Jan",
    "phone":"+48 600 700 800","rewardDescription":"100 zł"},
    "contactInput":{"email":"jan@example.org","name":"Jan","phone":"+48 600 700 800",
    "reward":"100 zł"},"descriptionInput":{"additionalDescription":"białe łapy","age":"4",
    "capture":{"captureMethod":"manual","latitude":52.2297,"longitude":21.0122,
    "permissionStatus":"notDetermined","timestamp":817005260.844691},"date":"2025-11-18",
    "gender":"female","latitude":"52.2297","longitude":"21.0122","petName":"Łatek",
    "race":"Baran","species":{"id":"rabbit","races":{"en":["Beagle"],"pl":["Beagle"]}}},
    "id":"whole","locationCapture":{"captureMethod":"manual","latitude":52.2297,
    "longitude":21.0122,"permissionStatus":"notDetermined","timestamp":817005260.844691},
    "petName":"Łatek","step":"contact",
    "submissionKey":"8A0326FF-3B5C-43DF-9BA8-CAFC2116A367"}
    """#
  /// Every step was done, then a description was refused.
  static let refused = #"""
    {"animalDescription":{"additionalDescription":"białe łapy","age":4,
    "disappearanceDate":"2025-11-18","gender":"female","lastUpdated":817005263.8888977,
    "latitude":52.2297,"longitude":21.0122,"race":"Baran","species":{"id":"rabbit",
    "races":{"en":["Beagle"],"pl":["Beagle"]}}},"chipInput":"61609-39000-12345",
    "chipNumber":"616093900012345","completedSteps":["photo","contact","description",
    "chip"],"contactDetails":{"email":"jan@example.org","name":"Jan",
    "phone":"+48 600 700 800","rewardDescription":"100 zł"},
    "contactInput":{"email":"jan@example.org","name":"Jan","phone":"+48 600 700 800",
    "reward":"100 zł"},"descriptionInput":{"additionalDescription":"białe łapy","age":"99",
    "capture":{"captureMethod":"manual","latitude":52.2297,"longitude":21.0122,
    "permissionStatus":"notDetermined","timestamp":817005263.8589914},"date":"2025-11-18",
    "gender":"female","latitude":"52.2297","longitude":"21.0122","petName":"Łatek",
    "race":"Changed","species":{"id":"rabbit","races":{"en":["Beagle"],"pl":["Beagle"]}}},
    "id":"refused","locationCapture":{"captureMethod":"manual","latitude":52.2297,
    "longitude":21.0122,"permissionStatus":"notDetermined","timestamp":817005263.8589914},
    "petName":"Łatek","step":"contact",
    "submissionKey":"E38796AE-905B-4FE9-91FF-9FF85F673DA9"}
    """#
  /// The announcement was created, but its photo wasn't sent. The draft has the only copy of its password.
  static let half = #"""
    {"animalDescription":{"disappearanceDate":"2025-11-18","gender":"male",
    "lastUpdated":817005266.5872623,"race":"Sfinks","species":{"id":"cat",
    "races":{"en":["Beagle"],"pl":["Beagle"]}}},"chipInput":"",
    "completedSteps":["description","photo","contact"],"contactDetails":{"name":"Ola",
    "phone":"6007008"},"contactInput":{"email":"","name":"Ola","phone":"6007008",
    "reward":""},"descriptionInput":{"additionalDescription":"","age":"",
    "date":"2025-11-18","gender":"male","latitude":"","longitude":"","petName":"",
    "race":"Sfinks","species":{"id":"cat","races":{"en":["Beagle"],"pl":["Beagle"]}}},
    "id":"half","step":"contact",
    "submission":{"announcementID":"930a5add-dce6-4d49-89fa-0767fd40035d",
    "isComplete":false,"managementPassword":"MKHN-Z3SH-YJ3W"},
    "submissionKey":"BC313E6D-933A-4C82-975C-02A850F1F00C"}
    """#
  /// The report was submitted, and its code was shown.
  static let done = #"""
    {"animalDescription":{"disappearanceDate":"2025-11-18","gender":"male",
    "lastUpdated":817005268.5694861,"race":"Sfinks","species":{"id":"cat",
    "races":{"en":["Beagle"],"pl":["Beagle"]}}},"chipInput":"","completedSteps":["photo",
    "description","contact"],"contactDetails":{"name":"Ola","phone":"6007008"},
    "contactInput":{"email":"","name":"Ola","phone":"6007008","reward":""},
    "descriptionInput":{"additionalDescription":"","age":"","date":"2025-11-18",
    "gender":"male","latitude":"","longitude":"","petName":"","race":"Sfinks",
    "species":{"id":"cat","races":{"en":["Beagle"],"pl":["Beagle"]}}},"id":"done",
    "step":"summary","submission":{"announcementID":"849df5c3-36dd-4b21-88d9-5fb5e976ae19",
    "isComplete":true},"submissionKey":"77DD992F-13BC-4D02-8B3D-393A69A90C71"}
    """#

  /// All drafts by their IDs.
  static let all = [
    "typed": typed, "whole": whole, "refused": refused, "half": half, "done": done,
  ]
}
