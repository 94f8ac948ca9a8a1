import Foundation
import Glibc

/// Selects entries of a walk by their names alone.
struct EntryFilter {
  private let include: [String]
  private let exclude: [String]
  private let hidden: Bool

  init(_ options: ImportOptions) {
    include = options.include.map(Self.comparable)
    exclude = options.exclude.map(Self.comparable)
    hidden = options.includesHidden
  }

  /// Returns `true` if the user excluded this entry. Such entries aren't reported.
  func isExcluded(_ name: [UInt8], below root: ArraySlice<UInt8>) -> Bool {
    !exclude.isEmpty && Self.matches(exclude, name, root)
  }

  /// Returns `true` if the file is among those that the user asked for.
  func isIncluded(_ name: [UInt8], below root: ArraySlice<UInt8>) -> Bool {
    include.isEmpty || Self.matches(include, name, root)
  }

  /// Returns the reason to skip an entry because of its name; `nil` to keep it. If hidden files are included,
  /// AppleDouble companions are recognized later by their content (see `isAppleDouble`).
  ///
  /// - Parameter folder: the path of the entry's folder, without a trailing slash.
  func refusal(of name: [UInt8], in folder: ArraySlice<UInt8>) -> ImportRefusal? {
    if let kind = Self.systemFiles[name] { return .systemFile(kind: kind) }
    let text = String(decoding: name, as: UTF8.self).lowercased()
    if text.contains(PhotoImporter.pictureSuffix + ".") {
      return .systemFile(kind: "report-picture")
    }
    if hidden { return nil }
    if let kind = Self.folders[text] { return .systemFile(kind: kind) }
    // Lightroom stores previews there. Photos stores its own ones beside the originals.
    if text.hasSuffix(".lrdata") { return .systemFile(kind: "thumbnails") }
    let suffix = String(decoding: folder.suffix(14), as: UTF8.self).lowercased()
    if suffix == ".photoslibrary", text != "originals", text != "masters" {
      return .systemFile(kind: "photos-library")
    }
    guard name.first == UInt8(ascii: ".") else { return nil }
    // An original that a killed import has hidden. It must stay visible.
    if SourceRemoval.originalName(of: name) != nil { return nil }
    return Self.mayBeAppleDouble(name) ? .systemFile(kind: "apple-double") : .hidden
  }

  /// Returns `true` if the name is that of an AppleDouble companion: `._` and the photo's name.
  static func mayBeAppleDouble(_ name: [UInt8]) -> Bool {
    name.count > 2 && name[0] == UInt8(ascii: ".") && name[1] == UInt8(ascii: "_")
  }

  /// Returns `true` if a file begins with AppleDouble's magic number (RFC 1740, appendix B).
  static func isAppleDouble(_ head: [UInt8]) -> Bool { head.starts(with: [0, 5, 0x16, 7]) }

  private static let systemFiles: [[UInt8]: String] = [
    Array(".DS_Store".utf8): "ds-store", Array("Thumbs.db".utf8): "thumbs-db",
    Array("ehthumbs.db".utf8): "thumbs-db", Array("desktop.ini".utf8): "desktop-ini",
  ]

  /// Folders of Synology, QNAP, Windows, macOS and Linux that contain deleted files, copies, or thumbnails. Their names
  /// are in lower case.
  private static let folders = [
    "#recycle": "recycle-bin", "@recycle": "recycle-bin", "$recycle.bin": "recycle-bin",
    "recycler": "recycle-bin", "network trash folder": "recycle-bin", "@eadir": "ea-dir",
    "#snapshot": "snapshots", "@recently-snapshot": "snapshots", "@__thumb": "thumbnails",
    ".@__thumb": "thumbnails", ".thumbnails": "thumbnails",
  ]

  /// Returns a text without differences of case and Unicode composition.
  private static func comparable(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 }
      ? text.lowercased() : text.lowercased().precomposedStringWithCanonicalMapping
  }

  /// Returns `true` if a name matches one of the patterns, ignoring case and composition. Patterns with a slash are
  /// matched with the path, in which `*` also matches a slash.
  private static func matches(
    _ patterns: [String], _ name: [UInt8], _ path: ArraySlice<UInt8>
  ) -> Bool {
    patterns.contains { pattern in
      let isPath = pattern.utf8.contains(UInt8(ascii: "/"))
      let subject = comparable(String(decoding: isPath ? path : name[...], as: UTF8.self))
      return fnmatch(pattern, subject, 0) == 0
    }
  }
}
