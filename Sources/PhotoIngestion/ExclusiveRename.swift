import CSandbox
import Glibc

/// Renames files without replacing others. Uses C code, because the C library declares the function only for GNU
/// sources.
package enum ExclusiveRename {
  /// Renames a file, also from one folder to another. Falls back to a link, which never replaces a file either, on
  /// file systems that can't rename exclusively, such as network file systems.
  ///
  /// - Returns: 0 or the errno; `EEXIST` if the new name is taken, `EXDEV` between two file systems.
  package static func rename(
    _ name: UnsafePointer<CChar>, from folder: Int32, _ new: UnsafePointer<CChar>, to target: Int32
  ) -> Int32 {
    let code = petspot_rename_exclusively(folder, name, target, new)
    guard [EINVAL, ENOSYS].contains(code) else { return code }
    if linkat(folder, name, target, new, 0) != 0 { return errno }
    if unlinkat(folder, name, 0) == 0 { return 0 }
    defer { unlinkat(target, new, 0) }
    return errno
  }
}

/// Copies extended attributes of files, which Swift's Glibc does not expose.
package enum ExtendedAttributes {
  /// Copies `user.*` attributes if the other file system can store them.
  ///
  /// - Returns: 0 or the `errno`.
  package static func copy(from file: Int32, to target: Int32) -> Int32 {
    petspot_copy_attributes(file, target)
  }
}
