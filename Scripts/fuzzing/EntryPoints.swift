import CLibFuzzer

/// What libFuzzer calls. The part of the program's name after its first dash is the target:
/// `fuzz-png FILE` runs one input.
nonisolated(unsafe) private var target = FuzzTarget.jpeg

/// Takes the target from the program's name, once.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
  let program = String(cString: arguments.pointee[0])
  let name = program.split(separator: "/").last?.split(separator: "-", maxSplits: 1).last ?? ""
  guard let named = FuzzTarget(rawValue: String(name)) else {
    fatalError("no target is called \(name)")
  }
  target = named
  return 0
}

/// Takes one input through the target; a trap is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  target.run([UInt8](UnsafeBufferPointer(start: data, count: size)))
  return 0
}

/// Changes one piece of a file (a segment, chunk or box) and puts lengths and checksums right, or
/// changes the file anywhere; random changes alone hardly ever get past a checksum or a nested size.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maxSize: Int, _ seed: UInt32
) -> Int {
  let buffer = UnsafeMutableBufferPointer(start: data, count: maxSize)
  let bytes = [UInt8](buffer.prefix(size))
  var pieces: [FilePiece] = []
  // Where there is no room, an empty piece cannot change.
  if seed % 2 == 0, size < maxSize { pieces = FilePiece.all(in: bytes, of: target.format) }
  guard !pieces.isEmpty else {
    var count = LLVMFuzzerMutate(data, size, maxSize)
    if target.format == .png, seed % 16 != 1 {
      var file = [UInt8](buffer.prefix(count))
      FilePiece.mendChecksums(ofPNG: &file)
      count = buffer.update(fromContentsOf: file)
    }
    return count
  }
  var file = bytes
  let piece = pieces[Int(seed / 2) % pieces.count]
  var payload = [UInt8](bytes[piece.payload])
  let used = payload.count
  let room = maxSize - size
  payload += [UInt8](repeating: 0, count: room)
  let count = payload.withUnsafeMutableBufferPointer {
    LLVMFuzzerMutate($0.baseAddress, used, $0.count)
  }
  file.replaceSubrange(piece.payload, with: payload[..<count])
  for size in piece.sizes { size.add(count - used, to: &file) }
  if target.format == .png { FilePiece.mendChecksums(ofPNG: &file) }
  return buffer.update(fromContentsOf: file.prefix(maxSize))
}
