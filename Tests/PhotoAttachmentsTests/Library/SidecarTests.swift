import Testing

@testable import PhotoAttachments

@Suite("Sidecar files of a photo")
struct SidecarTests {
  private static let photos: Set<String> = [
    "img_1.heic", "img_e2.jpg", "rex.jpg", "rex(1).jpg", "żaba.png",
    "a-name-of-a-photo-that-is-longer-than-forty-six-characters.jpg", "pxl_1.mp.jpg",
    "holiday_dscn0091.jpg", "holiday_dscn0091(1).jpg", "two.jpg", "two.jpeg", "scan.jfif",
  ]

  @Test(
    "A sidecar has the photo's stem, or its name and a suffix",
    arguments: [
      "IMG_1.MOV", "img_1.mov", "IMG_1.AAE", "IMG_1.xmp", "IMG_1.HEIC.xmp", "IMG_E2.aae",
      "IMG_O1.AAE",
      "rex.jpg.json", "rex.JPG.supplemental-metadata.json", "rex.jpg.supplemental-meta.json",
      "rex.jpg.s.json", "rex.jpg..json", "rex.jpg(1).json", "rex.jpg.supplemental-metadata(1).json",
      "rex(1).jpg.json", "z\u{307}aba.png.json",
      "a-name-of-a-photo-that-is-longer-than-forty-six.json",
      "a-name-of-a-photo-that-is-longer-than-forty-six.supplemental.json",
      "IMG_1.mp4", "IMG_1.MP4", "IMG_1.m4v", "IMG_1.3gp", "IMG_1.MP", "IMG_1.mv", "PXL_1.MP",
      "scan.mov",
    ])
  func recognized(name: String) {
    #expect(!Sidecars.photos(of: name, among: Self.photos).isEmpty)
  }

  @Test(
    "Other files are not sidecars",
    arguments: [
      "IMG_2.MOV", "IMG_2.mp4", "IMG_1.pdf", "IMG_12.AAE", "rex.json", "rex.jpg.other.json",
      "rex.jpg(2).json", "max.jpg.json", "metadata.json", "a-name-of-a-photo.json", "IMG_1", ".mov",
      "rex.jpg", "",
    ])
  func others(name: String) {
    #expect(Sidecars.photos(of: name, among: Self.photos).isEmpty)
  }

  @Test(
    "A Takeout name that was cut within the extension belongs to the only photo that it fits",
    arguments: [
      ("Holiday_DSCN0091.JP.supplemental-meta.json", ["holiday_dscn0091.jpg"]),
      ("Holiday_DSCN0091.JP.supplemental-meta(1).json", ["holiday_dscn0091(1).jpg"]),
      ("Holiday_DSCN0091.supplemental-metadata.json", ["holiday_dscn0091.jpg"]),
      ("Holiday_DSCN00.supplemental-metadata.json", []),
      ("Holiday_DSCN0091.JP.supplemental-meta(2).json", []),
      ("Holiday_DSCN0091.JP.other-meta.json", []), ("two.jp.supplemental-meta.json", []),
    ])
  func cutNames(name: String, photos: [String]) {
    #expect(Sidecars.photos(of: name, among: Self.photos) == photos)
  }
}
