import Foundation
import PhotoIngestion
import Testing

@testable import BlobStoreS3

/// The test vectors that AWS publishes: "aws-sig-v4-test-suite", and the examples in the S3 API reference ("Examples:
/// Signature Calculations", "Authenticating Requests: Using Query Parameters").
@Suite struct SigV4Tests {
  private static let suite = SigV4(
    keys: S3Credentials(
      accessKey: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1", service: "service")
  private static let s3 = SigV4(
    keys: S3Credentials(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1")
  private static let suiteDate = SigningDate(Date(timeIntervalSince1970: 1_440_938_160))
  private static let s3Date = SigningDate(Date(timeIntervalSince1970: 1_369_353_600))

  @Test("Dates are formatted as the signature requires")
  func dates() {
    #expect(Self.suiteDate.time == "20150830T123600Z")
    #expect(Self.s3Date.time == "20130524T000000Z")
    #expect(Self.s3Date.day == "20130524")
  }

  @Test(
    "Requests of AWS's suite get its signatures",
    arguments: [
      ("GET", [], [], "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
      (
        "GET", [("Param2", "value2"), ("Param1", "value1")], [],
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
      ),
      ("POST", [], [], "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
      (
        "GET", [], [("my-header1", " value1"), ("my-header2", " \"a   b   c\"")],
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
      ),
    ] as [(String, [(String, String)], [(String, String)], String)])
  func suite(
    _ method: String, query: [(String, String)], headers: [(String, String)], signature: String
  ) {
    let all = headers + [("host", "example.amazonaws.com"), ("x-amz-date", "20150830T123600Z")]
    let value = Self.suite.authorization(
      method, path: "/", query: query, headers: all, payload: sha256(of: []), at: Self.suiteDate)
    #expect(
      value == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        + "SignedHeaders=\(all.map(\.0).sorted().joined(separator: ";")), Signature=\(signature)")
  }

  private func s3(
    _ method: String, _ path: String, query: [(String, String)] = [],
    headers: [(String, String)] = [], body: String = ""
  ) -> String {
    let payload = sha256(of: Array(body.utf8))
    let all =
      headers + [
        ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", payload),
        ("x-amz-date", "20130524T000000Z"),
      ]
    let value = Self.s3.authorization(
      method, path: path, query: query, headers: all, payload: payload, at: Self.s3Date)
    return String(value.suffix(64))
  }

  @Test("The examples of the S3 reference get their signatures")
  func reference() {
    #expect(
      s3("GET", "/test.txt", headers: [("range", "bytes=0-9")])
        == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    #expect(
      s3(
        "PUT", "/" + PercentCoding.encoded("test$file.text", keeping: "/"),
        headers: [
          ("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ], body: "Welcome to Amazon S3.")
        == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    #expect(
      s3("GET", "/", query: [("lifecycle", "")])
        == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    #expect(
      s3("GET", "/", query: [("prefix", "J"), ("max-keys", "2")])
        == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }

  @Test("Special characters in a key are percent-encoded byte by byte, in uppercase")
  func encoding() {
    #expect(PercentCoding.encoded("a-b_c.d~e/f g+ł", keeping: "/") == "a-b_c.d~e/f%20g%2B%C5%82")
    #expect(PercentCoding.encoded("a/b") == "a%2Fb")
  }
}
