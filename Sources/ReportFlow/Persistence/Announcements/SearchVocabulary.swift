import Announcements

/// The words by which people search for an animal, besides those of its report: names of its species, breed and sex in
/// both languages. Plain words are matched like the report's own.
///
/// Names of a species are stored as `+kot.` and found only as a whole, because a pet may be called Sam, as `samiec`
/// begins. Names of the other sex are stored as `~kotka.`: a search for `kotka` lists female cats, and then the other
/// cats, whose sex people often mistake.
enum SearchVocabulary {
  static func sure(_ word: String) -> String { "+\(word)." }
  static func unsure(_ word: String) -> String { "~\(word)." }

  /// Folded names of a species, in all common forms.
  private struct Names {
    let any, female, male: [String]

    init(_ any: String, female: String = "", male: String = "") {
      func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
      self.any = words(any)
      self.female = words(female) + words("female samica samice samicy samiczka")
      self.male = words(male) + words("male samiec samca samce samczyk")
    }
  }

  private static let names = [
    "dog": Names(
      """
      dog dogs doggy doggies pup pups puppy puppies pies psa psu psem psie psy psow psom psami \
      psach piesek pieska piesku pieskiem pieskowi pieski pieskow psiak psiaka psiaki psiakow \
      psina psiny szczeniak szczeniaka szczeniaki szczeniakow szczenie szczeniaczek
      """,
      female:
        "suka suki suke suko suce suk suczka suczki suczke suczko suczce suczek sunia suni"
    ),
    "cat": Names(
      """
      cat cats kitten kittens feline kot kota kotu kotem koty kotow kotom kotami kotach kotek kotki \
      kotkowi kotkiem kotkow kotkami kociak kociaka kociaki kociakow kociatko kociatka kociaczek \
      kocie
      """,
      female: "kotka kotke kotko kotce kocica kocice kocicy",
      male: "kocur kocura kocurem kocurowi kocury kocurow kocurek kocurka kocurki"),
    "bird": Names(
      """
      bird birds birdie parrot parrots ptak ptaka ptakiem ptaki ptakow ptaszek ptaszka ptaszki papuga papugi \
      papuge papug papuzka papuzki papuzke
      """),
    "rabbit": Names(
      """
      rabbit rabbits bunny bunnies krolik krolika krolikiem kroliki krolikow kroliczek kroliczka \
      kroliczki krolis
      """, female: "krolica krolicy krolice samiczka"),
    "rodent": Names("rodent rodents gryzon gryzonia gryzonie gryzoni"),
    "reptile": Names("reptile reptiles gad gada gadem gady gadow"),
  ]

  /// Returns the names of a species and sex, with their prefixes.
  static func words(of species: String, _ sex: Gender) -> [String] {
    guard let names = names[species] else { return [] }
    let (own, others) = sex == .female ? (names.female, names.male) : (names.male, names.female)
    return (names.any + own).map(sure) + others.map(unsure)
  }

  /// Returns the words of a breed in the other languages. Matches any breed that contains the words of a bundled one.
  static func translations(ofBreed breed: String, of species: String) -> [String] {
    let words = Set(AnnouncementFilter.words(of: breed))
    let races = SpeciesTaxonomy.bundled.option(id: species)?.races ?? [:]
    // The lists of all languages have the same order.
    return (0..<(races.values.map(\.count).min() ?? 0)).flatMap { index -> [String] in
      let names = races.values.map { AnnouncementFilter.words(of: $0[index]) }
      guard names.contains(where: words.isSuperset) else { return [] }
      return names.joined().filter { !words.contains($0) }
    }
  }
}

/// Case endings of Polish nouns and adjectives. The rules are rough: a form that doesn't exist does no harm in the index.
enum CaseForms {
  /// Returns the other forms of a folded word from a place: `mokotow` becomes `mokotowie`. A form is left out if it
  /// begins another one, because a search finds the beginnings of words.
  static func forms(ofPlace word: String) -> [String] {
    guard word.count >= 4, word.allSatisfy({ $0.isASCII && $0.isLetter }) else { return [] }
    let (stem, ending) = split(word)
    var forms = declined(stem)
    // A softened stem, as in `ochocie` and `kabacki`, has a hard nominative.
    if ending == "ie" || ending == "e" || ending == "i" {
      for rule in softenings where word.hasSuffix(rule.soft) {
        forms += ["a", "y", "o"].map { word.dropLast(rule.soft.count) + rule.hard + $0 }
      }
    }
    return forms
  }

  /// Returns the other forms of a folded word that describes a coat or a size: `szary` becomes `szarego`.
  static func forms(ofDescribing word: String) -> [String] {
    let stem = split(word).stem
    return describing.contains(stem) ? declined(stem) : []
  }

  private static let describing = Set(
    """
    bezow bial brazow bur ciemn czarn czerwon dlug grub chud jasn kremow krotk laciat mal duz \
    mlod niebiesk plow popielat pregowan rud siw srebrn star szar trojkolorow zlot zolt zielon
    """.split(separator: " ").map(String.init))

  private static let endings = [
    "iego", "ymi", "ami", "iej", "ego", "ach", "ych", "owi", "iu", "ie", "ia", "ek", "em", "ej",
    "ym", "im", "y", "i", "a",
    "e", "o", "u",
  ]
  /// The soft ends of stems and endings, with the hard end of the stem.
  private static let softenings: [(soft: String, hard: String)] = [
    ("rze", "r"), ("dze", "g"), ("ce", "k"), ("cie", "t"), ("dzie", "d"), ("scie", "st"),
    ("cki", "t"),
  ]

  private static func split(_ word: String) -> (stem: String, ending: String) {
    guard let ending = endings.first(where: { word.hasSuffix($0) && word.count >= $0.count + 3 })
    else { return (word, "") }
    // The vowel of `targowek` is dropped in other forms.
    return (String(word.dropLast(ending.count)) + (ending == "ek" ? "k" : ""), ending)
  }

  private static func declined(_ stem: String) -> [String] {
    if stem.hasSuffix("k") || stem.hasSuffix("g") {
      let soft = String(stem.dropLast()) + (stem.hasSuffix("k") ? "ce" : "dze")
      return ["ach", "e", "iego", "iej", "iem", "im", "ich", "u", "om"].map { stem + $0 } + [soft]
    }
    let soft = softenings.filter { stem.hasSuffix($0.hard) && $0.soft != "cki" }
      .map { String(stem.dropLast($0.hard.count)) + $0.soft }
    let endings = ["ach", "ym", "ych", "ie", "iu", "ia", "ej", "ego", "em", "u", "owi"]
    return endings.map { stem + $0 } + soft
  }
}
