import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("A program becomes a worker only if a pool starts it as one")
struct DecoderWorkerAskingTests {
  private typealias Options = DecoderWorker.Options

  @Test("A pool's arguments are parsed", arguments: [false, true])
  func asked(allowsWeakSandbox: Bool) throws {
    let limits = DecoderLimits()
    let pool = DecoderPool(limits: limits, allowsWeakSandbox: allowsWeakSandbox)
    let options = try #require(Options(arguments: pool.workerOptions.arguments))
    #expect(options.memoryBytes == limits.memoryBytes)
    #expect(options.allowsWeakSandbox == allowsWeakSandbox)
  }

  @Test(
    "Arguments of other programs are ignored",
    arguments: [
      [], ["decode-worker"], ["decode-worker", "--memory"], ["decode-worker", "--memory", "much"],
      ["serve", "--memory", "1"], ["decode-worker", "--memory", "1", "--obey-trailers"],
      ["decode-worker", "--memory", "1", "--allow-weak-sandbox", "rex.heic"],
      ["decode-worker", "--memory", "+1"],
    ])
  func notAsked(arguments: [String]) {
    #expect(Options(arguments: arguments) == nil)
  }

  @Test("A program without a worker isn't started again")
  func notOffered() throws {
    let pool = DecoderPool()
    pool.warm()
    #expect(pool.idleWorkers.isEmpty)
    let source = try #require(TestImage.accepted.first).source
    #expect(throws: PhotoError.fault(.decoderHost)) {
      try PhotoPipeline(decoding: .sandboxed(pool)).prepare(source)
    }
  }

  @Test("A host of a few lines decodes in processes of its own program")
  func host() throws {
    let program = try ExampleProgram("PrepareOne")
    let (exitCode, out) = try program.run()
    #expect(exitCode == 0 && out.contains("jpeg"), "\(out)")
    // As another program's worker, it makes the same as this process.
    let source = try #require(TestImage.accepted.first { $0.file == "portrait-phone.heic" }).source
    let pool = DecoderPool(executable: Petspot.beside("PrepareOne"))
    #expect(try pool.report().sandbox?.seccomp == true)
    #expect(
      try PhotoPipeline(decoding: .sandboxed(pool)).prepare(source)
        == PhotoPipeline(decoding: .inProcess).prepare(source))
  }

  @Test("The arguments alone don't make a program a worker")
  func typed() throws {
    let (exitCode, out) = try ExampleProgram("PrepareOne").run("decode-worker", "--memory", "1")
    #expect(exitCode == 0 && out.contains("jpeg"), "\(out)")
  }
}
