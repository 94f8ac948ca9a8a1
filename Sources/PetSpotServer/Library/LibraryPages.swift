import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The read-only pages of the photo library, which `petspot browse` serves: a grid by month, a single photo, and groups
/// of similar photos.
struct LibraryPages: Sendable {
  let stores: Stores
  /// Responds with a picture of a photo.
  let showImage: Handler

  /// The number of photos on a page of the grid.
  private static let pageSize = 120
  /// The number of groups of similar photos on the page.
  private static let groupsShown = 50

  var routes: [Route] {
    [
      Route(.get, "/{secret}", grid),
      Route(.get, "/{secret}/photos/{id}", photo),
      Route(.get, "/{secret}/look-alikes", lookAlikes),
      Route(.get, "/{secret}/images/{name}", takesTurn: false, showImage),
      Route(.get, "/{secret}/assets/{name}", takesTurn: false, Assets.sendAsset),
    ]
  }

  /// `GET /{secret}`
  @Sendable private func grid(_ context: RequestContext) async throws -> Response {
    let place = LibraryPlace(try context.query())
    var search = place.search
    search.offset = place.number / Self.pageSize * Self.pageSize
    search.limit = Self.pageSize + 1
    let found = try await stores.photos.photos(search)
    let counts = try await stores.photos.libraryCounts()
    var view = LibraryView(context, place)
    view.add(counts.months)
    view.folders = counts.folders.map { view.link(to: .folder($0.folder), count: $0.count) }
    for (index, photo) in found.prefix(Self.pageSize).enumerated() {
      view.add(
        photo, under: photo.dayTaken.map { view.name(ofMonth: String($0.prefix(7))) } ?? "",
        search.offset + index
      )
    }
    if found.count > Self.pageSize {
      view.next = view.address(place.at(search.offset + Self.pageSize))
    }
    if search.offset > 0 { view.previous = view.address(place.at(search.offset - Self.pageSize)) }
    view.isEmpty = found.isEmpty
    if !place.isAll { view.back = view.base }
    let isWhole = search.offset == 0 && found.count <= Self.pageSize
    let month = counts.months.first { $0.month == place.month }?.count
    let folder = counts.folders.first { $0.folder == place.folder }?.count
    view.setTitle(
      count: isWhole
        ? found.count
        : place.isAll
          ? counts.months.map(\.count).reduce(0, +)
          : place.words.isEmpty ? month ?? folder : nil)
    return view.response
  }

  /// `GET /{secret}/photos/{id}`
  @Sendable private func photo(_ context: RequestContext) async throws -> Response {
    let place = LibraryPlace(try context.query())
    guard let id = UUID(uuidString: context.parameter("id")),
      let found = try await stores.files.run({ [stores] in try stores.photos.findPhoto(id) })
    else { throw ErrorResponse.notFound }
    var view = LibraryView(context, place, title: DisplayName.of(found))
    view.photo = LibraryPhotoView(found, base: view.base, view.words)
    // Load the neighbors in the list from which the photo was opened.
    var search = place.search
    search.offset = max(0, place.number - 1)
    search.limit = 3
    let near = try await stores.photos.photos(search)
    if let index = near.firstIndex(where: { $0.photo.id == id }) {
      let number = search.offset + index
      view.back = view.address(place.at(number)) + "#" + id.uuidString
      if index > 0 { view.previous = view.address(of: near[index - 1], place.at(number - 1)) }
      if index + 1 < near.count {
        view.next = view.address(of: near[index + 1], place.at(number + 1))
      }
    }
    // Photos that were attached without an import have no look-alikes.
    let others = found.places.isEmpty ? [] : try await stores.photos.similar(to: id)
    for other in others {
      view.add(FoundPhoto(photo: other.photo, places: [], taken: nil), under: nil, nil)
    }
    return view.response
  }

  /// `GET /{secret}/look-alikes`
  @Sendable private func lookAlikes(_ context: RequestContext) async throws -> Response {
    var view = LibraryView(context, LibraryPlace([:]))
    view.title = view.words("library.lookAlikes")
    view.back = view.base
    let groups = try await stores.files.run { [stores] in
      try stores.photos.lookAlikes().prefix(Self.groupsShown).map { group in
        try group.compactMap { try stores.photos.findPhoto($0.id) }
      }
    }
    for (number, group) in groups.enumerated() {
      let heading = view.words("library.group", ["number": view.words.number(number + 1)])
      for photo in group { view.add(photo, under: heading, nil) }
    }
    view.isEmpty = groups.isEmpty
    return view.response
  }
}
