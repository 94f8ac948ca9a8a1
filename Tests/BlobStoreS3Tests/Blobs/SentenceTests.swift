import TestPictures
import TestPostgres
import Testing

/// A program without ReportFlow prints what is wrong with its stores.
@Suite("Sentences about stores that can't be used")
struct SentenceTests {
  private static let keys = ["AWS_ACCESS_KEY_ID": "ours", "AWS_SECRET_ACCESS_KEY": "hush"]
  private static let bucket = "s3://pets?endpoint=http://127.0.0.1:1"

  /// Returns what the program prints.
  private func output(
    _ bucket: String, _ database: String = "-", keys: [String: String] = keys
  ) throws -> String {
    let english = ["LC_ALL": "C", "PATH": "/usr/bin:/bin"]
    return try ExampleProgram("OpenStores", picture: "one-pixel.gif")
      .run(bucket, database, environment: keys.merging(english) { $1 }).out
  }

  @Test("Addresses and keys that can't be right")
  func addresses() throws {
    #expect(
      try output("pets").hasPrefix("This isn’t the address of a photo store. Write it as s3:"))
    #expect(
      try output(Self.bucket, keys: [:]).hasPrefix("The keys of the photo store are missing. Set"))
    #expect(
      try output(Self.bucket, "mysql://root@127.0.0.1/pets")
        .hasPrefix("This isn’t the address of a database. Write it as postgresql://"))
  }

  @Test("A bucket that refuses the keys")
  func keys() throws {
    let server = try S3Server.shared.get()
    #expect(
      try output(server.url()) == """
        The photo store refuses access. Check the keys and their permissions.

        """)
  }

  @Test(
    "A database that refuses the user, or that isn't there",
    .enabled(if: TestServer.shared != nil, "\(TestServer.absence)"))
  func databases() throws {
    let server = try #require(TestServer.shared)
    let place = "127.0.0.1:\(server.port)"
    #expect(
      try output(Self.bucket, "postgresql://nobody@\(place)/postgres") == """
        The database refuses access. Check the user and the password.

        """)
    #expect(
      try output(Self.bucket, "postgresql://petspot@\(place)/nowhere") == """
        The server has no database with this name. Create it, or correct the name.

        """)
  }
}
