import CSandbox
import Dispatch
import Logging
import Synchronization

extension DecoderPool: Decoding {
  func withLease<T>(_ body: (DecoderLease?) throws -> T) throws -> T {
    guard trust.photosPerWorker == 1 else { return try body(nil) }
    return try lending(places) { try body($0) }
  }

  /// Sends a request to the worker that is lent to a photo. If the worker fails for a reason that may not be the photo,
  /// tries a new worker once. Otherwise throws the error for that failure.
  func answer(
    _ request: DecoderRequest, about bytes: [UInt8], sha256: String, of lease: DecoderLease?,
    times: inout StageTimes
  ) throws -> DecoderAnswer {
    guard let lease else {
      return try lending(places) {
        try answer(request, about: bytes, sha256: sha256, of: $0, times: &times)
      }
    }
    var retried = false
    while true {
      let worker = try assignWorker(lease, fresh: retried)
      do throws(DecoderProcess.Failure) {
        let codeDigest = try worker.waitUntilReady().codeDigest
        guard !remembers(sha256, codeDigest: codeDigest) else { throw .unusable(.decoderCrash) }
        let message = try worker.sendRequest(
          request, bytes, limits: limits, photosLeft: photosLeft(worker),
          weightLimit: lease.turn?.weight ?? .huge)
        guard message.kind == .answer else {
          throw .unusable(try refusal(in: message, of: lease, times: &times))
        }
        // A genuine worker always sends valid JSON.
        guard let reply = try? DecoderJSON.decode(DecoderReply.self, from: message.json) else {
          throw .unusable(.fault(.decoderAnswer))
        }
        times += reply.times
        return DecoderAnswer(facts: reply.facts, first: message.first, second: message.second)
      } catch {
        let used = worker.served.load(ordering: .relaxed) > 1
        switch error {
        case .unusable(let error):
          if error == .cancelled || worker.readiness?.problem != nil { lease.worker = nil }
          // A worker may have been started for a photo of another format, see `warm(for:)`.
          guard error == .fault(.heifLoader), !retried else { throw error }
          lease.worker = nil
        case .heavier(let weight):
          lease.worker = nil
          lease.turn?.end(as: weight)
          throw PhotoError.cancelled
        case .timedOut(let seconds):
          lease.worker = nil
          logger.warning("decoder too slow", metadata: ["photo": "\(sha256)"])
          throw PhotoError.timeout(seconds: seconds)
        case .nonsense(let stage):
          lease.worker = nil
          logger.warning(
            "invalid answer from decoder", metadata: ["stage": "\(stage)", "photo": "\(sha256)"])
          guard used, !retried else { throw PhotoError.fault(.decoderAnswer) }
        case .died(let ending, let stage):
          lease.worker = nil
          record(ending, stage, sha256: sha256)
          // A used worker may have died because of an earlier photo, and any worker for reasons other than the photo.
          let isMemory = isMemory(of: worker)
          guard !retried, !isMemory, used || !isCrash(ending), !ending.isOutOfTime else {
            throw failure(ending, sha256: sha256, worker: worker)
          }
        }
        retried = true
      }
    }
  }

  /// Lends one photo a worker and takes it back at the end.
  ///
  /// - Throws: errors that `body` throws, after ending the worker if the error is a fault; `PhotoError.cancelled`.
  func lending<T>(
    _ places: DispatchSemaphore?, _ body: (DecoderLease) throws -> T
  ) throws -> T {
    try enter(places)
    defer { places?.signal() }
    let lease = DecoderLease()
    let begin = petspot_processor_time(0)
    defer {
      let worker = lease.worker
      lease.worker = nil
      lease.turn?.charge(lease.processorTime + .nanoseconds(petspot_processor_time(0) - begin))
      if let worker { giveBack(worker) }
    }
    do { return try body(lease) } catch {
      // The cause of the fault may still be in the worker.
      if case PhotoError.fault = error { lease.worker = nil }
      throw error
    }
  }
}
