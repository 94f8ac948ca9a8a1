import PhotoIngestion
import petspot

/// The program `petspot`.
@main
enum Main {
  static func main() {
    // A worker locks its only thread up: no other may start before.
    DecoderWorker.serveIfAsked()
    PetspotMain.run()
  }
}
