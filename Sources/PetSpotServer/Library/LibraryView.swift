import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import ImageContainers
import NIOCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The contents of a library page. Templates access stored properties by their names.
struct LibraryView {
  let t: TemplateTexts
  let words: Words
  let lang: String
  var title: String
  let styles, own, script, icon: String
  /// The beginning of all addresses, which contains the secret.
  let base: String
  let place: LibraryPlace
  /// The search words.
  let query: String
  var years: [LibraryYear] = []
  var folders: [LibraryLink] = []
  var photo: LibraryPhotoView?
  /// The photos grouped by month, or into similar ones. Each group has a heading.
  var sections: [LibrarySection] = []
  var previous, next, back: String?
  var isEmpty = false

  init(_ context: RequestContext, _ place: LibraryPlace, title: String? = nil) {
    words = Words(Language(of: context.request.headers, orElse: .en))
    t = TemplateTexts(words)
    lang = words.language.rawValue
    self.title = title ?? words("library.title")
    base = "/" + context.parameter("secret")
    styles = base + Assets.address("petspot.css")
    own = base + Assets.address("library.css")
    script = base + Assets.address("library.js")
    icon = base + Assets.address("paw.svg")
    self.place = place
    query = place.words
  }

  /// A filter of the library. `month(nil)` represents photos without a date.
  enum Choice {
    case month(String?)
    case folder(String)
  }

  /// Returns a link to the photos of a month or folder.
  func link(to choice: Choice, count: Int) -> LibraryLink {
    var target = LibraryPlace([:])
    switch choice {
    case .month(let month?): target.month = month
    case .month(nil):
      return LibraryLink(
        text: words("library.undated"), count: words.number(count), address: nil, isCurrent: false)
    case .folder(let folder): target.folder = folder
    }
    let text =
      target.folder.map { name(ofFolder: $0) } ?? name(ofMonth: target.month)
    return LibraryLink(
      text: text, count: words.number(count), address: address(target),
      isCurrent: target.folder.map { $0 == place.folder } ?? (target.month == place.month))
  }

  private func name(ofFolder folder: String) -> String {
    folder.isEmpty ? words("library.topFolder") : ReadableText.escaped(folder)
  }

  /// Returns the name of a month, such as `November 2026`.
  func name(ofMonth month: String) -> String { words.month(month) ?? month }

  /// Adds the months with photos by years.
  mutating func add(_ months: [(month: String?, count: Int)]) {
    for (month, count) in months {
      let year = month.map { String($0.prefix(4)) } ?? words("library.undated")
      if years.last?.year != year {
        years.append(LibraryYear(year: year, isOpen: years.isEmpty || place.month.hasPrefix(year)))
      }
      years[years.count - 1].months.append(link(to: .month(month), count: count))
    }
  }

  /// Describes the filter in the title.
  ///
  /// - Parameter count: the number of its photos. `nil` if it isn't known.
  mutating func setTitle(count: Int?) {
    let parts = [
      place.words.isEmpty ? nil : words("list.quoted", ["text": place.words]),
      place.month.isEmpty ? nil : name(ofMonth: place.month),
      place.folder.map { name(ofFolder: $0) },
    ].compactMap { $0 }
    title = ([count.map { words("library.count", count: $0) } ?? title] + parts).joined(
      separator: " · ")
  }

  /// Returns the address of a page of the grid.
  func address(_ place: LibraryPlace) -> String { base + place.query }

  /// Returns the address of a photo's page. `place` is its position in the list, if it was opened from one.
  func address(of found: FoundPhoto, _ place: LibraryPlace?) -> String {
    base + "/photos/" + found.photo.id.uuidString + (place?.query ?? "")
  }

  /// Adds a photo to the last section, or to a new one if the heading differs.
  mutating func add(_ found: FoundPhoto, under heading: String?, _ number: Int?) {
    let shown = heading == "" ? words("library.undated") : heading ?? words("library.lookAlikes")
    if sections.last?.heading != shown { sections.append(LibrarySection(heading: shown)) }
    let preview = found.photo.preview
    sections[sections.count - 1].photos.append(
      LibraryCell(
        id: found.photo.id.uuidString, address: address(of: found, number.map(place.at)),
        picture: base + "/images/" + PictureName(photo: found.photo.id, .preview).text,
        name: DisplayName.of(found), day: found.dayTaken, width: preview.pixelWidth,
        height: preview.pixelHeight))
  }

  var response: Response {
    Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8", .contentLanguage: lang],
      body: ResponseBody(byteBuffer: ByteBuffer(string: Templates.render("library", self))))
  }
}

/// A link to the photos of a month or folder, and their number. `address` is `nil` for photos without a date.
struct LibraryLink {
  let text, count: String
  let address: String?
  let isCurrent: Bool
}

/// The links to the months of a year.
struct LibraryYear {
  let year: String
  let isOpen: Bool
  var months: [LibraryLink] = []
}

/// The page of an error. It has no styles, because the address of those is secret.
struct LibraryErrorView {
  let lang, title, text: String

  static func response(_ answer: ErrorResponse, _ request: Request) -> Response {
    let words = Words(Language(of: request.headers, orElse: .en))
    let text: TextKey = answer.status == .notFound ? "library.notFound" : answer.cause.text
    let view = Self(
      lang: words.language.rawValue, title: words(answer.cause.title),
      text: words(text))
    var response = Response(
      status: answer.status,
      headers: [.contentType: "text/html; charset=utf-8", .contentLanguage: view.lang],
      body: ResponseBody(byteBuffer: ByteBuffer(string: Templates.render("library-error", view))))
    for header in answer.headers { response.headers[header.name] = header.value }
    return response
  }
}

/// Photos under one heading.
struct LibrarySection {
  let heading: String
  var photos: [LibraryCell] = []
}

/// A photo in the grid.
struct LibraryCell {
  let id, address, picture, name: String
  let day: String?
  let width, height: Int
}

/// A photo and its details.
struct LibraryPhotoView {
  let picture, name, id, size, pixels: String
  let folder, day: String?
  let width, height: Int

  init(_ found: FoundPhoto, base: String, _ words: Words) {
    let photo = found.photo
    let forms = SizeForm.all(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight)
    let shown = forms.last { $0.format == .jpeg && $0.size.maxSide <= 1280 }
    let kind = shown.map { PictureName.Kind.size($0.name) } ?? .whole
    picture = base + "/images/" + PictureName(photo: photo.id, kind).text
    name = DisplayName.of(found)
    id = photo.id.uuidString
    size = words.fileSize(photo.facts.fileSizeBytes)
    pixels = "\(photo.facts.pixelWidth) × \(photo.facts.pixelHeight)"
    folder =
      found.places.isEmpty
      ? nil
      : Set(found.places.map { ReadableText.escaped($0.folder.isEmpty ? "/" : $0.folder) })
        .sorted().joined(separator: ", ")
    day = found.dayTaken
    width = photo.blob.pixelWidth
    height = photo.blob.pixelHeight
  }
}

/// The file name of a photo, with unreadable bytes escaped.
enum DisplayName {
  static func of(_ found: FoundPhoto) -> String { ReadableText.escaped(found.name) }
}
