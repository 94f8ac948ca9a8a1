import CSandbox

/// Renames where the new name is free, which the C library shows to GNU sources only.
package enum ExclusiveRename {
  /// Renames, also from one folder to another.
  ///
  /// - Returns: 0 or the errno; `EEXIST` when the new name is taken, `EINVAL` or `ENOSYS` where the
  ///   file system cannot do it, `EXDEV` between two file systems.
  package static func rename(
    _ name: UnsafePointer<CChar>, from folder: Int32, _ new: UnsafePointer<CChar>, to target: Int32
  ) -> Int32 {
    petspot_rename_exclusively(folder, name, target, new)
  }
}

/// Extended attributes of files, which Swift's Glibc does not carry.
package enum ExtendedAttributes {
  /// Copies `user.*`, where the other file system can store them.
  ///
  /// - Returns: 0 or the errno.
  package static func copy(from file: Int32, to target: Int32) -> Int32 {
    petspot_copy_attributes(file, target)
  }
}
