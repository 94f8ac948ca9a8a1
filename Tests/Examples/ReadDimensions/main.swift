import Foundation
import ImageContainers

// Prints the format and the upright size of pictures, without decoding a pixel and without a C library.
for path in CommandLine.arguments.dropFirst() {
  let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
  guard let format = ImageContainer.format(of: bytes) else {
    print(path, "unknown")
    continue
  }
  let facts = try ImageContainer.parse(bytes, as: format)
  print(path, format, facts.uprightWidth, facts.uprightHeight)
}
