import Testing

@testable import BlobStoreS3

@Suite struct S3AddressTests {
  @Test("An address names bucket, prefix, endpoint and region")
  func whole() throws {
    let address = try S3Address(
      "s3://pets/a/b/?endpoint=http%3A%2F%2F127.0.0.1%3A8333&region=eu-north-1")
    #expect(address.bucket == "pets")
    #expect(address.prefix == "a/b/")
    #expect((address.scheme, address.host) == ("http", "127.0.0.1:8333"))
    #expect(address.region == "eu-north-1")
    #expect(address.path("a b/ł") == "/pets/a%20b/%C5%82")
    #expect(address.shown == "S3 bucket pets at http://127.0.0.1:8333")
    #expect(
      try S3Address("s3://pets/a/b?endpoint=http://127.0.0.1:8333&region=eu-north-1") == address)
  }

  @Test("The default endpoint is AWS's, and the default port of a scheme is left out")
  func defaults() throws {
    let address = try S3Address("s3://pets?region=eu-west-1")
    #expect((address.scheme, address.host) == ("https", "s3.eu-west-1.amazonaws.com"))
    #expect(address.prefix == "")
    #expect(try S3Address("s3://pets").region == "us-east-1")
    #expect(try S3Address("s3://pets?endpoint=https://S3.example:443/").host == "s3.example")
    #expect(try S3Address("s3://pets?endpoint=https://[::1]:9000").host == "[::1]:9000")
  }

  @Test(
    "An invalid address is rejected with the reason",
    arguments: [
      ("pets", .noS3), ("http://pets", .noS3), ("s3://", .noBucket), ("s3:///x", .noBucket),
      ("s3://Pets", .badBucket), ("s3://pe", .badBucket), ("s3://pets/a//b", .badPrefix),
      ("s3://pets/../x", .badPrefix), ("s3://pets/a b", .badPrefix),
      ("s3://pets?endpoint=ftp://x", .badEndpoint), ("s3://pets?endpoint=", .badEndpoint),
      ("s3://pets?endpoint=http://x/y", .badEndpoint), ("s3://pets?region=", .badRegion),
      ("s3://pets?region=a/b", .badRegion), ("s3://key:secret@pets", .hasKeys),
      ("s3://pets?endpoint=http://key:secret@x", .hasKeys), ("s3://pets?acl=x", .unknown("acl")),
    ] as [(String, S3Address.Problem)])
  func refused(_ text: String, _ problem: S3Address.Problem) {
    #expect(throws: problem) { try S3Address(text) }
    #expect(!problem.sentence.contains("secret"))
  }
}
