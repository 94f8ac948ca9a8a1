import Foundation
import Glibc
import Synchronization
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("Workers are forked from a process that sees no photo")
struct DecoderTemplateTests {
  private let source = PhotoSource.file(
    path: TestImage.folder.appending(path: "baseline-420.jpg").path)

  private func template(of pool: DecoderPool) -> pid_t? {
    pool.template.withLock { $0.running?.pid }
  }

  /// Returns a field of the system's status of a process (proc_pid_status(5)); `nil` once the process is gone.
  private func status(_ pid: pid_t, _ name: String) -> String? {
    (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8))?
      .split(separator: "\n").first { $0.hasPrefix(name + ":") }
      .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
  }

  @Test("Each photo's worker is a child of this process, in a sandbox and a group of its own")
  func children() throws {
    let pool = DecoderPool(executable: Petspot.path)
    var seen: Set<pid_t> = []
    for _ in 0..<3 {
      try pool.lending(nil) { lease in
        let worker = try pool.assignWorker(lease, fresh: false)
        _ = try? worker.waitUntilReady()
        #expect(seen.insert(worker.pid).inserted)
        #expect(status(worker.pid, "PPid") == "\(getpid())")
        #expect(status(worker.pid, "Seccomp") == "2")
        #expect(getpgid(worker.pid) == worker.pid)
        #expect(worker.readiness?.report.sandbox?.landlock ?? 0 > 0)
      }
    }
    let template = try #require(self.template(of: pool))
    // The template doesn't decode and isn't sandboxed, because no data of a photo reaches it.
    #expect(!seen.contains(template))
    #expect(status(template, "Threads") == "1")
  }

  @Test("A worker of a template prepares photos exactly as any worker does, with the same code")
  func same() throws {
    let split = DecoderPool(executable: Petspot.path)
    let started = DecoderPool(executable: Petspot.path, spares: 0)
    for image in TestImage.accepted.prefix(12) {
      #expect(
        try PhotoPipeline(decoding: .sandboxed(split)).prepare(image.source)
          == PhotoPipeline(decoding: .sandboxed(started)).prepare(image.source))
    }
    #expect(template(of: started) == nil)
    func build(_ pool: DecoderPool) throws -> String? {
      try pool.lending(nil) { lease in
        let worker = try pool.assignWorker(lease, fresh: false)
        return try? worker.waitUntilReady().codeDigest
      }
    }
    let builds = try [build(split), build(started)]
    #expect(builds[0] != nil && builds[0] == builds[1])
  }

  @Test("A killed template costs no photo, and is replaced")
  func killed() throws {
    let pool = DecoderPool(executable: Petspot.path)
    let pipeline = PhotoPipeline(decoding: .sandboxed(pool))
    _ = try pipeline.prepare(source)
    let template = try #require(self.template(of: pool))
    kill(template, SIGKILL)
    for _ in 0..<3 { _ = try pipeline.prepare(source) }
    // Workers that are needed some seconds later come from a new template.
    let next = try until {
      _ = try? pipeline.prepare(source)
      return self.template(of: pool).flatMap { $0 == template ? nil : $0 }
    }
    #expect(kill(next, 0) == 0)
  }

  @Test("A program without a template is started for each photo")
  func none() throws {
    let pool = DecoderPool(executable: "/bin/false")
    #expect(throws: PhotoError.fault(.decoderStart)) {
      try PhotoPipeline(decoding: .sandboxed(pool)).prepare(source)
    }
    #expect(template(of: pool) == nil)
  }

  @Test("The template and its workers end with their pool and leave no zombie")
  func ending() throws {
    var pool: DecoderPool? = DecoderPool(executable: Petspot.path)
    pool?.warm(2)
    let workers = pool?.idleWorkers ?? []
    let processes = workers + [try #require(pool.flatMap(template(of:)))]
    #expect(processes.count == 3)
    pool = nil
    // The processes are collected in the background.
    for process in processes {
      #expect(try until { kill(process, 0) == -1 && errno == ESRCH ? true : nil })
    }
  }
}
