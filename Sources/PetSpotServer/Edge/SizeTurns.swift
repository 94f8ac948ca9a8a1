import PhotoAttachments
import PhotoIngestion

/// Decides which size is made next; a value, which a test can ask.
struct SizeTurns {
  /// A request that waits for a size; later ones have higher numbers.
  typealias Waiter = Int

  /// A size that is made, or waits to be.
  struct Job {
    typealias Number = Int
    let number: Number
    let key: PhotoSizeKey
    let form: SizeForm
    let photo: PhotoAttachmentMetadata
    /// Who waits for it.
    var waiters: [Waiter: ClientNetwork] = [:]

    /// What a turn costs.
    var pixels: Int { photo.blob.pixelWidth * photo.blob.pixelHeight }
    var isLarge: Bool { pixels >= DecoderPool.largePixels }
  }

  /// Sizes that wait.
  private(set) var waiting: [PhotoSizeKey: Job] = [:]
  /// Sizes that are made, and that somebody waits for.
  private var making: [PhotoSizeKey: Job] = [:]
  /// How many are made, those included that were given up.
  private var ordinaryCount = 0
  private var largeCount = 0
  /// Pixels that were decoded for each client.
  private var charges: [ClientNetwork: Int] = [:]
  /// The charge that the last turn began with, from which newcomers are counted.
  private var level = 0
  private var lastNumber = 0

  /// Sizes that wait for each client's turn.
  var waitingByClient: [ClientNetwork: Int] {
    waiting.values.reduce(into: [:]) { counts, job in
      for client in Set(job.waiters.values) { counts[client, default: 0] += 1 }
    }
  }

  /// The number of a new request.
  mutating func newWaiter() -> Waiter {
    lastNumber += 1
    return lastNumber
  }

  /// Lets a request wait for a size that is made or waits already, which may then come earlier.
  ///
  /// - Returns: false when there is no such size.
  mutating func join(_ key: PhotoSizeKey, _ waiter: Waiter, _ client: ClientNetwork) -> Bool {
    if making[key] != nil {
      making[key]?.waiters[waiter] = client
    } else if waiting[key] != nil {
      waiting[key]?.waiters[waiter] = client
    } else {
      return false
    }
    return true
  }

  /// Adds a size that a request waits for.
  mutating func add(
    _ key: PhotoSizeKey, _ form: SizeForm, _ photo: PhotoAttachmentMetadata, _ waiter: Waiter,
    _ client: ClientNetwork
  ) {
    waiting[key] = Job(
      number: newWaiter(), key: key, form: form, photo: photo, waiters: [waiter: client])
  }

  /// Takes the size out that has the next turn: the oldest one of the client with the lowest charge, to
  /// which it is charged. Nil when there is no room for any that waits.
  ///
  /// - Parameter ordinary: how many sizes of ordinary pictures may be made at a time.
  mutating func next(ordinary: Int) -> Job? {
    let turns = waiting.values
      .filter { $0.isLarge ? largeCount < 1 : ordinaryCount < ordinary }
      .flatMap { job in
        job.waiters.map { (job: job, client: $1, charge: charge(of: $1), waiter: $0) }
      }
    guard let turn = turns.min(by: { ($0.charge, $0.waiter) < ($1.charge, $1.waiter) }) else {
      return nil
    }
    level = max(level, turn.charge)
    // Who has less than newcomers is one.
    charges = charges.filter { $0.value > level }
    // Even the smallest size costs a decoder's start.
    charges[turn.client] = turn.charge + max(turn.job.pixels, 1_000_000)
    waiting[turn.job.key] = nil
    making[turn.job.key] = turn.job
    count(turn.job, 1)
    return turn.job
  }

  private func charge(of client: ClientNetwork) -> Int { max(charges[client] ?? 0, level) }

  private mutating func count(_ job: Job, _ change: Int) {
    if job.isLarge { largeCount += change } else { ordinaryCount += change }
  }

  /// A request waits no more.
  ///
  /// - Returns: the number of the size that is made for nobody now.
  mutating func leave(_ waiter: Waiter) -> Job.Number? {
    if let key = waiting.first(where: { $0.value.waiters[waiter] != nil })?.key {
      waiting[key]?.waiters[waiter] = nil
      if waiting[key]?.waiters.isEmpty == true { waiting[key] = nil }
    } else if let (key, job) = making.first(where: { $0.value.waiters[waiter] != nil }) {
      making[key]?.waiters[waiter] = nil
      guard job.waiters.count == 1 else { return nil }
      making[key] = nil
      return job.number
    }
    return nil
  }

  /// A size is made, or has failed.
  ///
  /// - Returns: who waited for it.
  mutating func finish(_ job: Job) -> [Waiter] {
    count(job, -1)
    guard let made = making[job.key], made.number == job.number else { return [] }
    making[job.key] = nil
    return Array(made.waiters.keys)
  }
}
