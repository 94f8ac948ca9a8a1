import CSandbox
import Glibc

enum LoadedCode {
  /// SHA-256 over the executable and all libraries that are loaded, each by the identifier that its
  /// linker gave it. Versions say less: a distribution repairs a library and keeps its version.
  ///
  /// Asked first when all are loaded, and the same for every process that is split off then.
  static let digest: String = {
    var objects: [String] = []
    withUnsafeMutablePointer(to: &objects) { list in
      petspot_list_objects(
        { context, name, id, size in
          let name = name.map { String(cString: $0) } ?? ""
          // The kernel's own.
          guard !name.hasPrefix("linux-vdso") else { return }
          let bytes = UnsafeBufferPointer(start: id, count: size)
          let identity = size > 0 ? bytes.map { String($0, radix: 16) }.joined(separator: ".") : ""
          context?.assumingMemoryBound(to: [String].self).pointee.append(
            name + " " + (identity.isEmpty ? LoadedCode.file(name) : identity))
        }, list)
    }
    // Order is when each was loaded, which says nothing.
    return sha256(of: [UInt8](objects.sorted().joined(separator: "\n").utf8))
  }()

  /// A file without an identifier, by where it lies and when it was written. The executable has no
  /// name.
  private static func file(_ name: String) -> String {
    var info = stat()
    guard stat(name.isEmpty ? "/proc/self/exe" : name, &info) == 0 else { return "?" }
    return "\(info.st_dev) \(info.st_ino) \(info.st_size) \(info.st_mtim.tv_sec) "
      + "\(info.st_mtim.tv_nsec)"
  }
}
