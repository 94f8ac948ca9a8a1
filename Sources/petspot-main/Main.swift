import PhotoIngestion
import petspot

/// The program `petspot`.
@main
enum Main {
  static func main() {
    // This comes first, because a worker puts its only thread into a sandbox before any other thread starts.
    DecoderWorker.serveIfAsked()
    PetspotMain.runCommand()
  }
}
