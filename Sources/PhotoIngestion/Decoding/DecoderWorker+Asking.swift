import Glibc

/// How a `DecoderPool` asks a program to be its worker, and how the program sees that it is asked.
extension DecoderWorker.Options {
  /// The arguments that a program is started with.
  var arguments: [String] {
    ["decode-worker", "--memory", String(memoryBytes)]
      + (allowsWeakSandbox ? ["--allow-weak-sandbox"] : []) + (isTemplate ? ["--template"] : [])
  }

  /// The options that a pool has asked for; nil when these are a program's arguments for anything
  /// else.
  init?(arguments: [String]) {
    guard arguments.count >= 3, let memoryBytes = Int(arguments[2]) else { return nil }
    self.memoryBytes = memoryBytes
    allowsWeakSandbox = arguments.contains("--allow-weak-sandbox")
    isTemplate = arguments.contains("--template")
    guard arguments == self.arguments else { return nil }
  }

  /// What this process was asked for, nil when it was not started as a worker: without a keeper's
  /// socket as descriptor 3, a person has typed such arguments.
  static func ofProcess() -> Self? {
    var status = stat()
    guard fstat(3, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return Self(arguments: Array(CommandLine.arguments.dropFirst()))
  }
}
