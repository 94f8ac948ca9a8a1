import Foundation
import PhotoIngestion

/// The limit of open files. It is checked first, because system libraries end the process if they can't open any.
enum FileDescriptors {
  /// The number of files that a command opens: libraries, the catalog, a decoder, a photo.
  private static let needed = 32

  /// Raises the limit to 1024 if it is lower and this is allowed.
  ///
  /// - Throws: `PhotoError.shortage` if fewer files can be opened than any command needs.
  static func check() throws(StoreError) {
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < 1024 {
      limit.rlim_cur = min(limit.rlim_max, 1024)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    while opened.count < needed {
      let descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else {
        if [EMFILE, ENFILE].contains(errno) { throw .photo(.shortage(errno: errno)) }
        return  // any other failure has nothing to do with the limit
      }
      opened.append(descriptor)
    }
  }
}
