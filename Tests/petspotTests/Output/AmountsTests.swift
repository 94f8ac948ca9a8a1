import Foundation
import ImageContainers
import PhotoAttachments
import Testing

@testable import petspot
import PhotoIngestion

@Suite struct AmountsTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1 KB"), (12_345, "12 KB"),
    (999_499, "999 KB"), (999_500, "1.0 MB"), (1_400_000, "1.4 MB"), (99_949_999, "99.9 MB"),
    (99_950_000, "100 MB"), (999_499_999, "999 MB"), (999_500_000, "1.0 GB"),
    (536_870_912, "537 MB"), (2_500_000_000_000, "2.5 TB"), (Int.max, "9.2 EB"),
  ])
  func sizesAreDecimal(_ bytes: Int, _ text: String) {
    #expect(Amounts.size(bytes) == text)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (220_000_000, "220,000,000"), (-1_234, "-1,234"),
    (Int.max, "9,223,372,036,854,775,807"), (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func numbersAreGrouped(_ number: Int, _ text: String) {
    #expect(Amounts.number(number) == text)
  }

  @Test func summariesOfTheSpecification() {
    let location = Normalization.Removed(kind: "location", bytes: 0)
    let reEncoded = Normalization(
      method: .reEncoded, reasons: [.orientation, .color],
      removed: [.init(kind: "exif", bytes: 12_000), location])
    #expect(
      reEncoded.summary(from: .jpeg, to: .jpeg, profile: "Display P3")
        == "rotated, colors converted from Display P3, location removed")
    let kept = Normalization(
      method: .carriedOver, losses: ["gain-map"],
      removed: [.init(kind: "exif", bytes: 12_000), location])
    #expect(
      kept.summary(from: .jpeg, to: .jpeg, profile: nil)
        == "kept bit for bit; removed EXIF (12 KB), location, gain map")
    let clean = Normalization(method: .carriedOver)
    #expect(clean.summary(from: .png, to: .png, profile: nil) == "kept bit for bit")
  }

  @Test func everyReasonHasWords() {
    let all = Normalization(
      method: .reEncoded, reasons: Normalization.Reason.allCases,
      losses: ["bit-depth", "depth-map"],
      repairs: ["heif-multi-cdsc"])
    #expect(
      all.summary(from: .heic, to: .jpeg, profile: nil)
        == "structure repaired, rotated, colors converted to sRGB, reduced to 8 bits per channel, "
        + "converted from HEIC to JPEG, re-encoded for browsers, depth map removed")
  }
}
