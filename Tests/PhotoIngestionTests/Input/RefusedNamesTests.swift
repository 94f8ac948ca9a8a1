import Testing

@testable import PhotoIngestion

/// Tests of the reported type of refused files whose contents don't show it.
@Suite struct RefusedNamesTests {
  private func refusal(of bytes: [UInt8], named name: String) -> PhotoError? {
    do throws(PhotoError) {
      _ = try PhotoPipeline(decoding: .inProcess).inspect(.bytes(bytes, name: name))
      return nil
    } catch {
      return error
    }
  }

  @Test("A photo that begins with only zeros is damaged, and other files of zeros are not photos")
  func zeros() {
    let bytes = [UInt8](repeating: 0, count: 20_000)
    for name in ["IMG_2.HEIC", "a.jpg", "b.jpeg", "c.PNG", "d.gif", "e.webp"] {
      #expect(refusal(of: bytes, named: name) == .corrupt(what: "zeros"), "\(name)")
    }
    for name in ["a.bin", "a.zip", "jpg", ""] {
      #expect(
        refusal(of: bytes, named: name)
          == .unsupportedFormat(detected: "application/octet-stream"), "\(name)")
    }
    #expect(
      refusal(of: bytes + [1], named: "a.jpg")
        == .unsupportedFormat(detected: "application/octet-stream"))
  }

  @Test(
    "Raw files of cameras are named as such",
    arguments: [
      ("a.DNG", "II*\0\u{8}\0\0\0\0\0", "image/x-adobe-dng"),
      ("a.nef", "MM\0*\0\0\0\u{8}\0\0", "image/x-nikon-nef"),
      ("a.ARW", "II*\0\u{8}\0\0\0\0\0", "image/x-sony-arw"),
      ("a.cr2", "II*\0\u{10}\0\0\0CR\u{2}\0", "image/x-canon-cr2"),
      ("a.CR3", "\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom", "image/x-canon-cr3"),
      ("a.bin", "\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom", "image/x-canon-cr3"),
      ("a.orf", "IIRO\u{8}\0\0\0", "image/x-olympus-orf"),
      ("a.RAF", "FUJIFILMCCD-RAW 0201", "image/x-fuji-raf"),
      ("a.rw2", "IIU\0\u{18}\0\0\0", "image/x-panasonic-rw2"),
      ("a.tif", "II*\0\u{8}\0\0\0\0\0", "image/tiff"),
      ("a.nef", "%PDF-1.4\n", "application/pdf"),
    ])
  func raw(_ name: String, _ head: String, _ type: String) {
    let bytes = Array(head.utf8) + [UInt8](repeating: 0, count: 2000)
    #expect(refusal(of: bytes, named: name) == .unsupportedFormat(detected: type))
  }
}
