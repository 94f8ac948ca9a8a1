public import ArgumentParser
import PetSpotStores
public import PhotoAttachments
import ReportFlow

/// `petspot list`: searches the library's photos.
struct List: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.list.abstract", "help.list.discussion",
    examples: """
      petspot list --limit 20
      petspot list rex park --taken 2024-05..2024-08
      petspot list --folder '*/kennel 3*' --sort taken
      petspot list --json | jq -r .id
      """)

  @Argument(help: .words("help.list.words", "words"), transform: RawArguments.text)
  var words: [String] = []

  @Option(help: .words("help.list.taken", "from..to"), transform: Days.init)
  var taken: Days?

  @Option(help: .words("help.list.folder", "glob"), transform: RawArguments.text)
  var folder: String?

  @Option(help: .words("help.list.source", "import|attach"))
  var source: PhotoQuery.Source?

  @Option(help: .words("help.list.sort", "stored|taken|name"))
  var sort = PhotoQuery.Order.stored

  @Option(help: .words("help.announcements.list.limit", "n"))
  var limit: Int?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let limit, limit < 1 {
      throw ValidationError(text: "usage.optionBelowOne", ["option": "--limit"])
    }
  }

  func run() async throws {
    var search = PhotoQuery()
    search.words = words
    search.taken = taken.map { ($0.from, $0.to) }
    search.folder = folder
    search.source = source
    search.order = sort
    search.limit = limit ?? .max
    let photos = try options.openStoresIfThere()?.photos
    var found = try await photos?.photos(search) ?? []
    try photos?.addHolders(to: &found)
    let terminal = Terminal.standardOutput()
    let verbose = options.verbose
    if !found.isEmpty, !options.json, !options.quiet {
      try Output.line(terminal.dim(FoundPhoto.rowHeader(verbose: verbose)))
    }
    for photo in found {
      try options.print(photo.json, orText: photo.row(on: terminal, verbose: verbose))
    }
    if found.isEmpty { try options.say(L10n.words("photos.none")) }
    if let photos { try await options.checkIsWhole(photos) }
  }
}

extension PhotoQuery.Source: ExpressibleByArgument {}
extension PhotoQuery.Order: ExpressibleByArgument {}

/// A range of days, inclusive at both ends. An empty end is open. A single day is both ends.
struct Days: Sendable {
  let from: String
  let to: String

  init(_ argument: String) throws {
    let day = /(\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?)?/
    let ends = argument.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(ends.count), ends.contains(where: { !$0.isEmpty }),
      ends.allSatisfy({ $0.wholeMatch(of: day) != nil })
    else {
      throw ValidationError(text: "usage.notDays", ["text": RawArguments.text(argument)])
    }
    from = ends[0]
    to = ends[ends.count - 1]
  }
}
