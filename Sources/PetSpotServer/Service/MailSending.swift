import Foundation
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import ServiceLifecycle

/// Sends the mails that wait in the database.
struct MailSending: Sendable {
  let mailer: Mailer
  let queue: MailQueue
  let logger: Logger
  private let threads = WorkerPool(threadCount: 1)

  init(_ mailer: Mailer, _ queue: MailQueue, logger: Logger) {
    self.mailer = mailer
    self.queue = queue
    self.logger = logger
  }

  var service: any Service {
    RepeatedWork(description: "MailSending", pause: .seconds(1)) {
      do { try await sendDue() } catch {
        logger.warning("mails not read", metadata: ["error": "\(error)"])
      }
    }
  }

  /// Sends all mails that are due. Stops when no mail is left.
  private func sendDue() async throws {
    // One at a time, because a mail is reserved for little longer than sending it may take.
    while true {
      let reservation = try await queue.reserveNext(at: .now)
      if reservation.givenUp > 0 {
        logger.error(
          "mails given up after a day",
          metadata: [
            "count": "\(reservation.givenUp)", "action": "see why the mail server takes none",
          ])
      }
      if let id = reservation.unreadable {
        logger.error(
          "mail kept that can't be read",
          metadata: ["mail": "\(id)", "action": "see whether a newer version wrote it"])
      }
      guard let mail = reservation.due else {
        if reservation.unreadable == nil { return }
        continue
      }
      let from = mailer.from
      let send = mailer.send
      let message = mail.letter.message(id: mail.id, from: from, at: mail.created)
      let outcome = try await threads.run { send(message, mail.letter.to) }
      switch outcome {
      case .sent: try await queue.remove(mail.id)
      case .refused(let why):
        try await queue.remove(mail.id)
        logger.warning("mail refused", metadata: ["error": "\(why)"])
      case .failed(let why):
        logger.error(
          "mail not sent, to be tried again",
          metadata: [
            "error": "\(why)", "action": "see that the mail server runs and takes our password",
          ])
      }
    }
  }
}
