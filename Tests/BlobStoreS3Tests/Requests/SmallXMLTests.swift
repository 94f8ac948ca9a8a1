import Testing

@testable import BlobStoreS3

@Suite struct SmallXMLTests {
  private func page(_ text: String) throws -> S3Page { try S3Page(Array(text.utf8)) }

  @Test("A listing is parsed, with its encoded keys and the start of the next page")
  func listing() throws {
    let page = try page(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- one -->
      <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>pets</Name>
        <EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>
        <NextContinuationToken>a&amp;b&#x41;&#66;</NextContinuationToken><Prefix/>
        <Contents><Key>a%2Fb+c%C5%82</Key><Size>12</Size><Owner><ID>x</ID></Owner></Contents>
        <Contents><Key>d</Key><Size>0</Size></Contents>
      </ListBucketResult>
      """)
    #expect(
      page.entries == [.init(key: "a/b cł", sizeBytes: 12), .init(key: "d", sizeBytes: 0)])
    #expect(page.next == "a&bAB")
  }

  @Test("A listing that ends has no next page, and keys that are not encoded stay as they are")
  func end() throws {
    let page = try page(
      "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a+%41</Key><Size>1</Size>"
        + "</Contents></ListBucketResult>")
    #expect(page.entries.map(\.key) == ["a+%41"])
    #expect(page.next == nil)
  }

  @Test(
    "An incomplete listing is rejected",
    arguments: [
      "", "<a", "<a>", "<a></b>", "<a/><a/>", "<a>&x;</a>", "<a>&#xD800;</a>", "<a b=c/>",
      "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a><![CDATA[x]]></a>", "<Error/>",
      "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
      "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
      "<ListBucketResult><Contents><Key>a</Key><Size>x</Size></Contents></ListBucketResult>",
      "<ListBucketResult></ListBucketResult> x",
      String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100),
    ])
  func refused(_ text: String) {
    #expect(throws: SmallXML.Malformed.self) { try page(text) }
  }
}
