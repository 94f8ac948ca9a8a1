package import Foundation

/// What a run is to import: the same when asked once more, and enough for a worker.
package struct ImportOrder: Codable, Sendable, Equatable {
  /// What the person named, as it is shown.
  package var names: [String]
  package var source: Source
  /// What chose among the files: options in a fixed form, so that another choice is another run.
  package var choice: [String]
  /// `ImportOptions.again`; nil in orders of older programs.
  package var again: Bool?

  package enum Source: Codable, Sendable, Equatable {
    /// Below folders that each worker of the run sees under the same path.
    case folders([Folder])
    /// Below an address of a store, which holds no secret.
    case objects(String)
  }

  /// A folder that workers have to see.
  package struct Folder: Codable, Sendable, Hashable {
    /// Absolute, without links, any bytes.
    package var path: Data
    /// Its number there, the same on every machine that has mounted it.
    package var inode: Int64
  }

  package init(names: [String], source: Source, choice: [String], again: Bool = false) {
    self.names = names
    self.source = source
    self.choice = choice
    self.again = again ? true : nil
  }
}

/// Part of a run, held by one worker until it gives it back, ends it, or loses it.
package struct PartClaim: Sendable, Equatable {
  package var run: Int64
  package var number: Int64
  /// Names this claim alone: whatever another one's holder still does is refused.
  package var token: String
  /// Places of the inputs that are left, within the run.
  package var left: Range<Int64>
  /// How often the part was claimed, this time included.
  package var attempts: Int
  /// Seconds for which it is held from each sign of life on.
  package var lease: Double
  package var order: ImportOrder
  /// The machine that asked for the run, by which its files are known.
  package var origin: String
}
