import Foundation

/// Tells what went wrong, for people and with `--json` for programs, and ends.
func fail(_ code: String, _ message: String, _ exitCode: Int32, json: Bool) -> Never {
  FileHandle.standardError.write(Data("petspot: \(message)\n".utf8))
  if json {
    struct Told: Encodable {
      struct Error: Encodable { let code, message: String }
      let error: Error
    }
    let told = Told(error: .init(code: code, message: message))
    if let data = try? JSONEncoder().encode(told) {
      print(String(decoding: data, as: UTF8.self))
    }
  }
  exit(exitCode)
}
