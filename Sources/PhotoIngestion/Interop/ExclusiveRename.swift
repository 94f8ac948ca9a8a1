import CSandbox

/// Renames where the new name is free, which the C library shows to GNU sources only.
package enum ExclusiveRename {
  /// Renames in one folder.
  ///
  /// - Returns: 0 or the errno; `EEXIST` when the new name is taken, `EINVAL` or `ENOSYS` where the
  ///   file system cannot do it.
  package static func rename(
    _ name: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>, in folder: Int32
  ) -> Int32 {
    petspot_rename_exclusively(folder, name, new)
  }
}
