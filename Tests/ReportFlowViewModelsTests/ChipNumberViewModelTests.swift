import ReportFlow
import TestReports
import Testing

@testable import ReportFlowViewModels

@MainActor @Suite struct ChipNumberViewModelTests {
  @Test func startsEmptyRestoresFormattedAndStoresDigits() throws {
    let cache = try TestCache()
    let environment = try FlowEnvironment.test(cache: cache)
    let flow = try cache.flow()
    let model = ChipNumberViewModel(flowState: flow, environment: environment, language: .en)
    #expect(model.chipNumber == "")
    model.chipNumber = "1234567890123456"
    #expect(model.chipNumber == "12345-67890-12345")
    model.continueTapped()
    #expect(flow.chipNumber == "123456789012345")
    let again = ChipNumberViewModel(
      flowState: try cache.reopened(), environment: environment, language: .pl)
    #expect(again.chipNumber == "12345-67890-12345")
    #expect(again.textFieldModel.label == "Numer mikroczipu (opcjonalnie)")
    #expect(again.textFieldModel.accessibilityID == "missingPet.microchip.input")
    #expect(again.textFieldModel.placeholder == "00000-00000-00000")
  }

  @Test func emptyIsNoneAndCallbacksAreCalled() throws {
    let cache = try TestCache()
    let flow = try cache.flow()
    let model = ChipNumberViewModel(
      flowState: flow, environment: try .test(cache: cache), language: .en)
    var calls: [String] = []
    #expect(model.continueTapped() == .moved(to: .photo))  // callbacks are optional
    #expect(flow.chipNumber == nil)
    model.onContinue = { calls.append("continue") }
    model.onBack = { calls.append("back") }
    model.continueTapped()
    model.backTapped()
    #expect(calls == ["continue", "back"])
  }
}
