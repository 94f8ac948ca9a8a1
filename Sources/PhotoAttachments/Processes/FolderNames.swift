import Glibc

/// The names in one folder, sorted by their bytes and stored in one buffer. A folder of a hundred thousand files takes
/// a few megabytes during the walk and nothing afterwards.
struct FolderNames {
  private var bytes: [UInt8] = []
  private var starts: [UInt32] = []

  /// Reads the names in an open folder, except for `.` and `..`.
  ///
  /// - Returns: `nil` with `errno` set if the folder can't be read.
  init?(of folder: Int32) {
    // A separate descriptor, because closing the stream closes its descriptor.
    let own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else { return nil }
    guard let stream = fdopendir(own) else {
      close(own)
      return nil
    }
    defer { closedir(stream) }
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: UInt8.self, capacity: 256) { name in
          let length = strlen(name)
          let isSelf = length == 1 && name[0] == UInt8(ascii: ".")
          let isParent =
            length == 2 && name[0] == UInt8(ascii: ".") && name[1] == UInt8(ascii: ".")
          if isSelf || isParent { return }
          starts.append(UInt32(bytes.count))
          bytes.append(contentsOf: UnsafeBufferPointer(start: name, count: length + 1))
        }
      }
    }
    guard errno == 0 else { return nil }
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      base.withMemoryRebound(to: CChar.self, capacity: buffer.count) { text in
        // strcmp compares unsigned bytes.
        starts.sort { strcmp(text + Int($0), text + Int($1)) < 0 }
      }
    }
  }

  var count: Int { starts.count }

  /// Returns the name at a position, without the trailing zero.
  subscript(index: Int) -> [UInt8] {
    let start = Int(starts[index])
    return Array(bytes[start...].prefix { $0 != 0 })
  }
}
