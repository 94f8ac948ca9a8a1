import Foundation
import HTTPTypes
import HummingbirdCore
import ImageContainers
import NIOCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// What a page of the library shows. Templates see the names of stored properties.
struct LibraryView {
  let t: TemplateTexts
  let words: Words
  let lang: String
  var title: String
  let styles, own, script, icon: String
  /// What addresses begin with: the secret.
  let base: String
  let place: LibraryPlace
  /// The words that are searched for.
  let query: String
  var months: [LibraryLink] = []
  var folders: [LibraryLink] = []
  var photo: LibraryPhotoView?
  /// Photos under a heading each: a month, or a group of look-alikes.
  var sections: [LibrarySection] = []
  var previous, next, back: String?
  var isEmpty = false

  init(_ context: RequestContext, _ place: LibraryPlace, title: String? = nil) {
    words = Words(Language(of: context.request.headers))
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

  enum Choice {
    case month(String?)
    case folder(String)
  }

  /// A link to the photos of a month or folder.
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
      target.folder.map { $0.isEmpty ? "/" : ReadableText.escaped($0) } ?? target.month
    return LibraryLink(
      text: text, count: words.number(count), address: address(target),
      isCurrent: target.folder.map { $0 == place.folder } ?? (target.month == place.month))
  }

  func address(_ place: LibraryPlace) -> String { base + place.query }

  func address(of found: FoundPhoto, _ place: LibraryPlace?) -> String {
    base + "/photos/" + found.photo.id.uuidString + (place?.query ?? "")
  }

  /// Adds a photo to the last section, or to a new one when its heading is another.
  mutating func add(_ found: FoundPhoto, under heading: String?, _ number: Int?) {
    let shown = heading == "" ? words("library.undated") : heading ?? words("library.lookAlikes")
    if sections.last?.heading != shown { sections.append(LibrarySection(heading: shown)) }
    let preview = found.photo.preview
    sections[sections.count - 1].photos.append(
      LibraryCell(
        id: found.photo.id.uuidString, address: address(of: found, number.map(place.at)),
        picture: base + "/images/" + PictureName(photo: found.photo.id, .preview).text,
        name: DisplayName.of(found), day: found.photo.dayTaken, width: preview.pixelWidth,
        height: preview.pixelHeight))
  }

  var response: Response {
    Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8", .contentLanguage: lang],
      body: ResponseBody(byteBuffer: ByteBuffer(string: Templates.render("library", self))))
  }
}

struct LibraryLink {
  let text, count: String
  let address: String?
  let isCurrent: Bool
}

struct LibrarySection {
  let heading: String
  var photos: [LibraryCell] = []
}

struct LibraryCell {
  let id, address, picture, name: String
  let day: String?
  let width, height: Int
}

/// One photo with what is known of it.
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
    folder = found.folder.map { ReadableText.escaped($0.isEmpty ? "/" : $0) }
    day = photo.dayTaken
    width = photo.blob.pixelWidth
    height = photo.blob.pixelHeight
  }
}

/// A photo's file name, readable whatever bytes it has.
enum DisplayName {
  static func of(_ found: FoundPhoto) -> String { ReadableText.escaped(found.photo.facts.fileName) }
}
