package import Foundation

/// The description of an import that several workers share. Equal requests produce equal orders, and a worker needs
/// nothing else.
package struct ImportOrder: Codable, Sendable, Equatable {
  /// The inputs that the person named, in display form.
  package var names: [String]
  package var source: Source
  /// The options that select files, in a canonical form, so that a different selection is a different run.
  package var choice: [String]
  /// `ImportOptions.again`. `nil` means `false`, also in orders from older versions.
  package var again: Bool?

  package enum Source: Codable, Sendable, Equatable {
    /// Files in folders that every worker of the run sees under the same path.
    case folders([Folder])
    /// Objects under a store URL that contains no secret.
    case objects(String)
  }

  /// A folder that workers must be able to see.
  package struct Folder: Codable, Sendable, Hashable {
    /// The absolute path without links, which may contain any bytes.
    package var path: Data
    /// The folder's inode. All machines that mount the folder see the same number.
    package var inode: Int64
  }

  package init(names: [String], source: Source, choice: [String], again: Bool = false) {
    self.names = names
    self.source = source
    self.choice = choice
    self.again = again ? true : nil
  }
}

/// A part of a run that one worker holds until it gives it back, completes it or loses it.
package struct PartClaim: Sendable, Equatable {
  package var run: Int64
  package var number: Int64
  /// The unique token of this claim. Work under any other token is refused.
  package var token: String
  /// The positions of the remaining inputs within the run.
  package var left: Range<Int64>
  /// The number of times that the part was claimed, including this one.
  package var attempts: Int
  /// The time in seconds for which the claim is valid after each renewal.
  package var lease: Double
  package var order: ImportOrder
  /// The machine that requested the run. Its files are recorded under this machine.
  package var origin: String
}
