import CSandbox
import Glibc

/// Identifies the code that this process runs. `CrashLedger` records it, so that a photo is tried again with other
/// code.
enum LoadedCode {
  /// A SHA-256 over the identifiers that the linker gave to the executable and all loaded libraries. Version numbers
  /// are not enough, because a distribution may fix a library without changing its version.
  ///
  /// Computed on first use, which must be after all libraries are loaded. Processes that are split off later share the
  /// value.
  static let digest: String = {
    var objects: [String] = []
    withUnsafeMutablePointer(to: &objects) { list in
      petspot_list_objects(
        { context, name, id, size in
          let name = name.map { String(cString: $0) } ?? ""
          // Skip the kernel's vDSO.
          guard !name.hasPrefix("linux-vdso") else { return }
          let bytes = UnsafeBufferPointer(start: id, count: size)
          let identity = size > 0 ? bytes.map { String($0, radix: 16) }.joined(separator: ".") : ""
          context?.assumingMemoryBound(to: [String].self).pointee.append(
            name + " " + (identity.isEmpty ? LoadedCode.file(name) : identity))
        }, list)
    }
    // Sort, because the order only depends on when each object was loaded.
    return sha256(of: [UInt8](objects.sorted().joined(separator: "\n").utf8))
  }()

  /// Identifies a file without a build ID by its device, inode, size and modification time. The executable has an empty
  /// name.
  private static func file(_ name: String) -> String {
    var info = stat()
    guard stat(name.isEmpty ? "/proc/self/exe" : name, &info) == 0 else { return "?" }
    return "\(info.st_dev) \(info.st_ino) \(info.st_size) \(info.st_mtim.tv_sec) "
      + "\(info.st_mtim.tv_nsec)"
  }
}
