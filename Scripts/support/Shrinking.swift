// Paints sizes as petspot does, over pixels of anybody's decoder: `shrinking.py` compiles it with the
// sources of the painter. Of each picture "width height bands" on a line and its pixels come in; how many
// sizes it has goes out, and of each "width height" on a line and its pixels.

import Glibc

while let line = readLine() {
  let numbers = line.split(separator: " ").compactMap { Int($0) }
  let (width, height, bands) = (numbers[0], numbers[1], numbers[2])
  var pixels = [UInt8](repeating: 0, count: width * height * bands)
  guard fread(&pixels, 1, pixels.count, stdin) == pixels.count else { break }
  let sizes = PhotoSize.ladder(width: width, height: height)
  print(sizes.count)
  for size in sizes {
    var painter = SizeScaler(size, ofWidth: width, height: height, bands: bands)
    pixels.withUnsafeBufferPointer {
      for row in 0..<height { painter.add(row: $0.baseAddress! + row * width * bands) }
    }
    let picture = painter.picture
    print(picture.width, picture.height)
    fwrite(picture.pixels, 1, picture.pixels.count, stdout)
  }
  fflush(stdout)
}

/// What a canvas throws, which no size needs.
enum PhotoError: Error {
  case shortage(errno: Int32)
  case fault(what: String)
}
