import Testing

@testable import PhotoUploads

@Suite("Multipart headers")
struct PartHeaderTests {
  private static let plain = "form-data; name=\"f\""

  private func header(_ lines: [String]) throws(MultipartError) -> PartHeader {
    var header = PartHeader()
    for line in lines { try header.add(Array(line.utf8)) }
    return header
  }

  @Test(
    "A boundary may have each character of RFC 2046, with quotes or without",
    arguments: [
      ("multipart/form-data; boundary=b", "b"), ("Multipart/Form-Data;BOUNDARY=\"b\"", "b"),
      ("multipart/form-data;boundary=b;", "b"), ("multipart/form-data ; ; boundary=b ;x=y", "b"),
      ("multipart/form-data; charset=\"a;boundary=c\\\"\"; boundary=b", "b"),
      ("multipart/form-data; boundary=\"a b\"", "a b"),
      ("multipart/form-data; boundary=\"'()+_,-./:=?\"", "'()+_,-./:=?"),
      ("multipart/form-data; boundary='()+_,-./:=?", "'()+_,-./:=?"),
      ("multipart/form-data; boundary====123==", "===123=="),
      (
        "multipart/form-data; boundary=\(String(repeating: "a", count: 70))",
        String(repeating: "a", count: 70)
      ),
    ])
  func boundaries(contentType: String, boundary: String) throws {
    #expect(MultipartParser.isMultipart(contentType))
    var parser = try MultipartParser(contentType: contentType)
    try Array("--\(boundary)--".utf8).withUnsafeBytes { try parser.feed($0) { _ in } }
    try parser.finish()
  }

  @Test(
    "An invalid boundary is refused",
    arguments: [
      "multipart/form-data", "multipart/form-data;", "multipart/form-data; boundary*=b",
      "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"b \"",
      "multipart/form-data; boundary=b; boundary=b", "multipart/form-data; boundary=b!",
      "multipart/form-data; boundary=b; Boundary=\"c\"", "multipart/form-data; boundary=\"b\\\\\"",
      "multipart/form-data; boundary=\"b\\\"\"", "multipart/form-data; boundary=\"b\r\n\"",
      "multipart/form-data; boundary=\"é\"",
      "multipart/form-data; boundary=\(String(repeating: "a", count: 71))",
    ])
  func badBoundaries(_ contentType: String) {
    #expect(throws: MultipartError.boundary) { try MultipartParser(contentType: contentType) }
  }

  @Test(
    "A Content-Type outside its grammar is refused",
    arguments: [
      "multipart/form-data; boundary", "multipart/form-data; boundary=",
      "multipart/form-data; boundary =b", "multipart/form-data; boundary= b",
      "multipart/form-data; boundary=b c", "multipart/form-data; boundary=\"b",
      "multipart/form-data; boundary=\"b\"c", "multipart/form-data; boundary=b, text/plain",
      "multipart/form-data; =b", "multipart/form-data; boundary=b\"",
      "multipart/form-data; boundary=é", "multipart/form-data; boundary=b\r\nX: y",
    ])
  func badGrammar(_ contentType: String) {
    #expect(MultipartParser.isMultipart(contentType))
    #expect(throws: MultipartError.mediaType) { try MultipartParser(contentType: contentType) }
  }

  @Test(
    "Another media type is not multipart",
    arguments: [
      "", "multipart/mixed; boundary=b", "multipart/form-data2; boundary=b", "text/plain",
      "multipart/form-data, multipart/form-data; boundary=b", "application/json",
      "multipart / form-data; boundary=b", "; multipart/form-data",
    ])
  func otherTypes(_ contentType: String) {
    #expect(!MultipartParser.isMultipart(contentType))
    #expect(throws: MultipartError.mediaType) { try MultipartParser(contentType: contentType) }
  }

  @Test(
    "A file's name arrives as it was sent",
    arguments: [
      (#"filename="Rex.jpg""#, "Rex.jpg"), (#"filename="""#, ""), ("FileName=Rex.jpg", "Rex.jpg"),
      (#"filename="a\"b\\c.jpg""#, #"a"b\c.jpg"#),
      (#"filename="C:\pets\Rex.jpg""#, #"C:\pets\Rex.jpg"#),
      (#"filename="a%22b%0D.jpg""#, "a%22b%0D.jpg"),
      (#"filename="../../etc/passwd""#, "../../etc/passwd"),
      (#"filename="a;name=x.jpg""#, "a;name=x.jpg"), (#"filename="żółw 🐢.jpg""#, "żółw 🐢.jpg"),
      (#"filename="a.jpg"; filename*=UTF-8''evil.exe"#, "a.jpg"),
      ("filename=\"\u{1}\u{1B}[2J\u{202E}\"", "\u{1}\u{1B}[2J\u{202E}"),
      (#"filename="a"b.jpg""#, #"a"b.jpg"#), (#"filename=""a".jpg""#, #""a".jpg"#),
      (#"filename="5" frame.jpg" ; x=y"#, #"5" frame.jpg"#), (#"filename="a"; b.jpg""#, "a"),
      (#"filename="a"#, ""), (#"filename="a\""#, ""), ("filename=", ""), ("filename=;", ""),
      ("filename=my  pet.jpg ; x=y", "my  pet.jpg"), ("filename=żółw.jpg", "żółw.jpg"),
      ("filename=a; filename=b", "a"), (#"filename=""; filename="b""#, "b"),
      ("filename*=UTF-8''%C5%82apa%20%22.jpg", #"łapa ".jpg"#),
      ("FileName*=utf-8'pl'a%2fb.jpg", "a/b.jpg"), ("filename*=ISO-8859-1''%E9t%E9.jpg", "été.jpg"),
      (#"filename=""; filename*=UTF-8''a.jpg"#, "a.jpg"), (#"filename*="UTF-8''a.jpg""#, "a.jpg"),
      ("filename*=UTF-8''%zz; filename*=UTF-8''b", "b"),
    ])
  func fileNames(parameter: String, name: String) throws {
    let header = try header(["Content-Disposition: \(Self.plain); \(parameter)"])
    #expect(header.fileName == name && header.name == "f")
  }

  @Test(
    "A file name that can't be read is empty, and the part's own name counts",
    arguments: [
      ("filename*=UTF-8''%F", ""), ("filename*=UTF-8''%+1", ""), ("filename*=UTF-8''%FF", ""),
      ("filename*=a.jpg", ""), ("filename*=KOI8-R''a.jpg", ""), ("filename*=", ""),
      ("filename*", nil), ("filename", nil), ("filename*0=a", nil), ("x y z", nil), ("=a", nil),
      (#""quoted""#, nil), (";;", nil), ("", nil),
    ])
  func unreadableNames(parameter: String, name: String?) throws {
    let header = try header(["Content-Disposition: \(Self.plain); \(parameter)"])
    #expect(header.fileName == name && header.name == "f")
    let reversed = try self.header(["Content-Disposition: form-data; \(parameter); name=\"f\""])
    #expect(reversed.name == "f")
  }

  @Test("The file name may come first")
  func nameBehind() throws {
    let header = try header([#"Content-Disposition: form-data; filename="a"b.jpg"; name="f""#])
    #expect(header.fileName == #"a"b.jpg"# && header.name == "f")
  }

  @Test("Invalid UTF-8 is repaired")
  func repaired() throws {
    var header = PartHeader()
    let start = Array("Content-Disposition: \(Self.plain); filename=\"a".utf8)
    try header.add(start + [0xFF, UInt8(ascii: "\"")])
    #expect(header.fileName == "a\u{FFFD}")
  }

  @Test("Harmless headers are accepted, whatever their case and spaces")
  func accepted() throws {
    let header = try header([
      "CONTENT-TYPE:\t Image/PNG ", "content-disposition:\(Self.plain)", "X-Empty:",
      "Content-Transfer-Encoding: Binary", "Content-Transfer-Encoding: 8bit",
    ])
    #expect(header.name == "f" && header.contentType == "Image/PNG" && header.fileName == nil)
  }

  static let refused: [(String, MultipartError)] = [
    ("Content-Disposition: form-data", .disposition),
    ("Content-Disposition: attachment; name=f", .disposition),
    ("Content-Disposition: form-data; filename=\"a\"", .disposition),
    ("Content-Disposition: form-data; name=f; name=f", .disposition),
    ("Content-Disposition: form-data; name=f; NAME=g", .disposition),
    ("Content-Disposition: form-data name=f", .disposition), ("Content-Disposition:", .disposition),
    ("X : y", .header), (" X: y", .header), ("\tX: y", .header), (": y", .header), ("X", .header),
    ("X: a\0b", .header), ("X: a\rb", .header), ("X\0: y", .header), ("é: y", .header),
    ("Content-Transfer-Encoding: base64", .encoding),
    ("content-transfer-encoding: quoted-printable", .encoding),
    ("Content-Transfer-Encoding:", .encoding), ("Content-Transfer-Encoding: binary x", .encoding),
    ("Content-Type: multipart/mixed; boundary=c", .nested),
    ("Content-Type:MULTIPART/form-data", .nested),
  ]

  @Test("A header line outside the rules is refused", arguments: refused)
  func refuses(line: String, error: MultipartError) {
    #expect(throws: error) { try header([line]) }
  }

  @Test("Headers that may occur once are refused if they are repeated")
  func twice() {
    let disposition = "Content-Disposition: \(Self.plain)"
    #expect(throws: MultipartError.disposition) { try header([disposition, disposition]) }
    let type = "Content-Type: image/png"
    #expect(throws: MultipartError.header) { try header([type, type]) }
  }

  @Test("Each error has a sentence of its own")
  func sentences() {
    let errors: [MultipartError] = [
      .mediaType, .boundary, .preamble, .tooManyParts, .header, .tooLongHeader, .disposition,
      .encoding, .nested, .epilogue, .unfinished,
    ]
    #expect(Set(errors.map(\.problem)).count == errors.count)
  }
}
