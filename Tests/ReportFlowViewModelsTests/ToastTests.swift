import ReportFlow
import TestReports
import Testing

@testable import ReportFlowViewModels

@MainActor @Suite struct ToastTests {
  @Test func aToastGoesAwayWhenItsTimeIsOver() async {
    let clock = ManualClock()
    let toasts = ToastPresenter(clock: clock)
    #expect(toasts.toast == nil)
    toasts.show(.photoIsMandatory)
    #expect(toasts.toast?.message(in: english) == "Photo is mandatory")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(2900))
    #expect(toasts.toast == .photoIsMandatory)
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(100))
    await toasts.settled()
    #expect(toasts.toast == nil)
  }

  @Test func everyShowBeginsTheTimeAnew() async {
    let clock = ManualClock()
    let toasts = ToastPresenter(clock: clock)
    toasts.show(.photoIsMandatory)
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    toasts.show(.photoIsMandatory)
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    // Four seconds after the first toast and two after the second.
    #expect(clock.sleeperCount == 1)
    #expect(toasts.toast == .photoIsMandatory)
    clock.advance(by: .seconds(1))
    await toasts.settled()
    #expect(toasts.toast == nil)
  }

  @Test func hidingTakesItAwayNowAndWakesNobodyLater() async {
    let clock = ManualClock()
    let toasts = ToastPresenter(clock: clock)
    toasts.show(.photoIsMandatory)
    await clock.sleepers(1)
    toasts.hide()
    #expect(toasts.toast == nil)
    await clock.sleepers(0)
  }

  @Test func secondsOfEachToast() {
    #expect(Toast.photoIsMandatory.seconds == 3)
    #expect(Toast.correctFields.seconds == 3)
    #expect(Toast.codeCopied.seconds == 2)
  }
}
