import Foundation
import PhotoAttachments
import PhotoIngestion

/// Open files, of which a process gets as many as its limit says. The system's libraries end the
/// process when they get none for themselves, so that is found out first.
enum FileDescriptors {
  /// What a command needs beside what it came with: libraries, the catalog, a decoder, a photo.
  private static let needed = 32

  /// Raises the limit as far as that is allowed to us and needed.
  ///
  /// - Throws: `PhotoError.shortage` when fewer can be opened than any command needs.
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
        return  // it says nothing of how many there are
      }
      opened.append(descriptor)
    }
  }
}
