import ArgumentParser

/// A command with the options all commands share.
protocol PetspotCommand: ParsableCommand {
  var options: GlobalOptions { get }
}
