import ArgumentParser
import PhotoAttachments

/// `--shard`, of the commands that several machines may share.
struct ShardOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "Do only part I of N, when N machines share the work.",
        pl: "Wykonaj tylko część I z N, gdy N maszyn dzieli się pracą."), valueName: "i/n"),
    transform: { text in
      guard let shard = StoreShard(text) else {
        throw ValidationError(
          Speech.pick(
            en: "A part is written as 2/4: its number, and how many there are, at most 256.",
            pl: "Część zapisuje się jako 2/4: jej numer i ile ich jest, najwyżej 256."))
      }
      return shard
    })
  var shard: StoreShard?

  /// The part, or all.
  var part: StoreShard { shard ?? .whole }

  /// What `--json` tells, with the part when it is one.
  func marking(_ json: JSON) -> JSON {
    shard.map { json.adding(["shard": .string("\($0)")]) } ?? json
  }
}
