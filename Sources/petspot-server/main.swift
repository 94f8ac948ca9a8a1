import Foundation
import Logging
import Metrics
import PetSpotServer
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import SystemPackage

// `petspot serve` has read the arguments and looked at the stores: what fails here has failed since.
guard CommandLine.arguments.count == 2,
  let settings = try? JSONDecoder().decode(
    ServerSettings.self, from: Data(CommandLine.arguments[1].utf8))
else {
  fail("usage", "This program is started by: petspot serve", 64, json: false)
}

LoggingSystem.bootstrap { label in
  var handler = StreamLogHandler.standardError(label: label)
  handler.logLevel = settings.verbose ? .debug : .notice
  return handler
}

var configuration = ServerConfiguration()
(configuration.host, configuration.port) = (settings.host, settings.port)
configuration.baseURL = settings.baseURL.flatMap(URL.init(string:))
if let certificate = settings.tlsCertificate, let key = settings.tlsKey {
  configuration.tls = (certificate, key)
}
if let limit = settings.uploadLimit { configuration.uploadLimit = limit }
configuration.trustedProxies = settings.trustProxy.compactMap(Network.init)
configuration.limitsClients = settings.limitsClients
configuration.metricsPort = settings.metricsPort
if settings.metricsPort != nil {
  let metrics = PrometheusMetrics()
  MetricsSystem.bootstrap(metrics)
  configuration.metrics = metrics
}

do {
  var policy = PhotoPolicy()
  policy.fileBytes = configuration.uploadLimit
  let folder = CacheFolder(path: settings.cache)
  let cores = ProcessInfo.processInfo.activeProcessorCount
  let decoders = DecoderPool(
    executable: settings.decoder, trust: .strangers, most: cores, spares: 1,
    allowsWeakSandbox: settings.allowWeakSandbox,
    ledger: CrashLedger(folder: FilePath(folder.path).appending("crashes")))
  decoders.warm()
  let stores = try Stores.open(
    folder, policy: policy, pool: WorkerPool(threadCount: cores + 1), decoders: decoders,
    patience: 10)
  let server = PetSpotServer(
    photos: stores.photos, drafts: stores.drafts, announcements: stores.announcements,
    configuration: configuration, logger: Logger(label: "petspot.server"))
  let isJSON = settings.json
  try await server.run { url in
    let line = isJSON ? #"{"event":"listening","url":"\#(url)"}"# : "Listening on \(url)"
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
  try stores.photos.close()
} catch let error as ServerError {
  switch error {
  case .portTaken(let host, let port):
    fail(
      "port-taken",
      "Port \(port) of \(host) is taken by another program. End it, or choose another with --port.",
      69, json: settings.json)
  case .listening(let host, let errno):
    fail(
      "listening",
      "\(host) cannot be listened on: \(String(cString: strerror(errno))). Choose another address "
        + "with --host.", 69, json: settings.json)
  case .certificate(let path, let detail):
    fail(
      "certificate",
      "The certificate \(path) cannot be used with its key: \(detail). Give PEM files that belong "
        + "together.", 69, json: settings.json)
  }
} catch {
  fail("server", "The server ended: \(error).", 70, json: settings.json)
}
