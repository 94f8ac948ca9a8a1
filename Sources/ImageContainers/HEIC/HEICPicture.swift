/// The checked items of the primary picture, of which the cleaned file consists.
struct HEICPicture {
  /// The kept items. The primary is first; tiles and alpha pictures follow in the order of their use.
  private(set) var items: [Item] = []
  /// The size in pixels as libheif 1.15 outputs it: cropped, turned and mirrored.
  private(set) var width = 0
  private(set) var height = 0
  private(set) var hasAlpha = false
  /// `true` if libheif 1.15 cannot combine an alpha with its colors, because of another size or bit depth or because
  /// the colors are premultiplied. The alpha is then decoded separately.
  private(set) var hasSeparateAlpha = false
  /// The NAL units that decoders don't read. They stay in the cleaned file, because it is only decoded and never
  /// stored.
  private(set) var unknownUnits: [ContainerPart] = []
  /// The pixels of all layers of an overlay, or 0 for any other picture.
  private(set) var layerPixels = 0
  /// The primary item's mirroring as EXIF orientation if the cleaned file leaves it out, otherwise 1.
  private(set) var remainingMirroring = 1

  /// An item that the cleaned file keeps.
  struct Item {
    let id: Int
    let type: String
    /// The ranges of the item's data, in order.
    let ranges: [Range<Int>]
    /// The tiles of a grid in row order, or the layers of an overlay, the lowest first.
    var tiles: [Int] = []
    /// The kept items for which this item is the alpha.
    var alphaOf: [Int] = []
    /// The alpha with which this item's colors are premultiplied.
    var premultipliedBy: Int?
  }

  init(_ meta: HEICMeta, limits: ContainerLimits) throws(ContainerError) {
    var builder = Builder(meta: meta, limits: limits)
    (width, height) = try builder.add(meta.primary)
    try limits.check(
      width: width, height: height, offset: meta.box.range.lowerBound, side: limits.heicSide)
    // A tile can have its own alpha, but the alpha of an alpha is meaningless. The transparency of an overlay comes
    // from its fill and layers, so an alpha of the overlay itself is ignored.
    let isOverlay = meta.primary.type == "iovl"
    for id in builder.items.map(\.id) where !isOverlay || id != meta.primary.id {
      hasAlpha = try builder.addAlpha(of: id) || hasAlpha
    }
    items = builder.items
    hasSeparateAlpha = builder.hasSeparateAlpha
    unknownUnits = builder.unknownUnits
    if isOverlay {
      layerPixels = builder.layerPixels
      hasAlpha = builder.overlayShowsFill
    } else if !hasAlpha {
      remainingMirroring = meta.highBitDepthMirroring(of: items[0])
    }
  }
}

extension HEICMeta {
  /// Returns, as EXIF orientation, the mirroring that libheif 1.15 can't do, or 1 if it can do all steps. It can't
  /// mirror pictures with more than 8 bits per sample. The mirroring can be done after decoding only if it is the last
  /// step (ISO 23000-22, 7.3.6.7).
  fileprivate func highBitDepthMirroring(of item: HEICPicture.Item) -> Int {
    let primary = properties(of: item.id)
    let tile = item.tiles.first.map(properties(of:)) ?? primary
    guard case .mirror(let axis) = primary.last(where: \.isTransformation)?.value,
      primary.filter({ if case .mirror = $0.value { true } else { false } }).count == 1,
      let configuration = tile.configuration, configuration.bitDepth > 8
    else { return 1 }
    return axis == 0 ? 4 : 2
  }
}

/// Collects and checks the kept items.
private struct Builder {
  let meta: HEICMeta
  let limits: ContainerLimits
  var items: [HEICPicture.Item] = []
  private var sizes: [Int: (width: Int, height: Int)] = [:]
  /// The `ispe` size for which each item's data was checked.
  private var checked: [[Range<Int>]: (width: Int, height: Int)] = [:]
  private var checkedBytes = 0
  /// The overlay's data if the primary item is an overlay.
  private var overlay: HEICOverlayData?
  private(set) var layerPixels = 0
  private(set) var hasSeparateAlpha = false
  private(set) var unknownUnits: [ContainerPart] = []
  /// The alpha pictures of each item.
  private let alphas: [Int: Set<Int>]
  private let tiles: [Int: [Int]]
  private let premultiplied: [Int: [Int]]

  init(meta: HEICMeta, limits: ContainerLimits) {
    self.meta = meta
    self.limits = limits
    var alphas: [Int: Set<Int>] = [:]
    let alphaItems = Set(
      meta.items.lazy.map(\.id).filter { meta.properties(of: $0).contains(where: \.isAlpha) })
    var tiles: [Int: [Int]] = [:]
    var premultiplied: [Int: [Int]] = [:]
    for reference in meta.references {
      switch reference.type {
      case "dimg" where tiles[reference.from] == nil: tiles[reference.from] = reference.to
      case "prem": premultiplied[reference.from, default: []] += reference.to
      case "auxl" where alphaItems.contains(reference.from):
        for target in reference.to { alphas[target, default: []].insert(reference.from) }
      default: break
      }
    }
    self.alphas = alphas
    self.tiles = tiles
    self.premultiplied = premultiplied
  }

  /// Adds a coded picture, a grid with its tiles or an overlay with its layers, unless it was added before. Returns the
  /// size that libheif outputs.
  mutating func add(_ item: HEICItem) throws(ContainerError) -> (width: Int, height: Int) {
    if let size = sizes[item.id] { return size }
    guard item.isPlain else { throw .unsupported("heif-protected") }
    let offset = item.box.lowerBound
    var kept = HEICPicture.Item(
      id: item.id, type: item.type, ranges: try meta.neededRanges(of: item.id))
    let properties = meta.properties(of: item.id)
    for property in properties {
      if case .broken(let error) = property.value { throw error }
    }
    guard let ispeSize = properties.pictureSize else {
      throw .malformed("heif-no-ispe", offset: offset)
    }
    try limits.check(
      width: ispeSize.width, height: ispeSize.height, offset: offset, side: limits.heicSide)

    if item.type == "grid" {
      let grid = try HEICGrid(meta.joined(kept.ranges), limits: limits, offset: offset)
      guard (grid.width, grid.height) == ispeSize else {
        throw .malformed("heif-grid-size", offset: offset)
      }
      kept.tiles = tiles[item.id] ?? []
      guard kept.tiles.count == grid.rows * grid.columns else {
        throw .malformed("heif-grid-tiles", offset: offset)
      }
      let position = items.count
      items.append(kept)
      try addTiles(of: items[position], grid: grid, offset: offset)
    } else if item.type == "iovl" {
      kept.tiles = tiles[item.id] ?? []
      let overlay = try HEICOverlayData(
        meta.joined(kept.ranges), layers: kept.tiles.count, limits: limits, offset: offset)
      guard (overlay.width, overlay.height) == ispeSize else {
        throw .malformed("heif-overlay-size", offset: offset)
      }
      self.overlay = overlay
      items.append(kept)
      try addLayers(of: kept, canvas: ispeSize.width * ispeSize.height, offset: offset)
    } else {
      guard let configuration = properties.configuration else {
        throw .malformed("heif-no-hvcC", offset: offset)
      }
      guard !configuration.isDeepYCgCo(properties) else { throw .unsupported("hevc") }
      try check(kept.ranges, configuration, ispeSize: ispeSize, offset: offset)
      items.append(kept)
    }
    guard let size = properties.outputSize(ispeSize) else {
      throw .malformed("heif-clean-aperture", offset: offset)
    }
    sizes[item.id] = size
    return size
  }

  /// Checks an item's data. Items may share data, which is then checked and counted once. All data together must not be
  /// larger than the file.
  private mutating func check(
    _ ranges: [Range<Int>], _ configuration: HEVCConfiguration,
    ispeSize: (width: Int, height: Int), offset: Int
  ) throws(ContainerError) {
    if checked[ranges] == nil {
      checkedBytes += ranges.reduce(0) { $0 + $1.count }
      checked[ranges] = ispeSize
      guard checkedBytes <= meta.bytes.count else {
        throw .malformed("heif-overlapping-items", offset: offset)
      }
      unknownUnits += try HEVCData(meta.joined(ranges)).check(
        configuration, ispeSize: ispeSize, offset: offset)
    } else if let other = checked[ranges], other != ispeSize {
      throw .malformed("heif-overlapping-items", offset: offset)
    }
  }

  private mutating func addTiles(of kept: HEICPicture.Item, grid: HEICGrid, offset: Int)
    throws(ContainerError)
  {
    var tile: (width: Int, height: Int)?
    if let last = kept.tiles.last, meta.isCut(last),
      let first = kept.tiles.firstIndex(where: meta.isCut)
    {
      throw .incomplete("heif-tile", percentShown: shown(of: grid, before: first, item: kept.id))
    }
    for id in kept.tiles {
      guard id != kept.id else { throw .malformed("heif-reference-cycle", offset: offset) }
      guard let item = meta.item(id) else { throw .malformed("heif-tile-missing", offset: offset) }
      guard item.type == "hvc1" else {
        throw item.type == "grid"
          ? .malformed("heif-reference-cycle", offset: offset) : .unsupported(item.type)
      }
      let size = try add(item)
      guard size == tile ?? size else { throw .malformed("heif-tile-size", offset: offset) }
      tile = size
    }
    guard let tile, grid.isCovered(byTilesOf: tile) else {
      throw .malformed("heif-grid-coverage", offset: offset)
    }
  }

  /// Returns how many percent of the picture's rows are above a tile. Returns `nil` if the item isn't the primary one,
  /// or if it is cropped, turned or mirrored, so that rows of tiles aren't rows of the visible picture.
  private func shown(of grid: HEICGrid, before tile: Int, item: Int) -> Int? {
    guard item == meta.primary.id, !meta.properties(of: item).contains(where: \.isTransformation),
      let height = tiles[item]?.first.flatMap({ meta.properties(of: $0).pictureSize?.height })
    else { return nil }
    return min(tile / grid.columns * height * 100 / max(grid.height, 1), 100)
  }

  /// Adds the layers of an overlay, which are decoded one by one. The canvas and all layers together must not have more
  /// pixels than the limit for one picture.
  private mutating func addLayers(of kept: HEICPicture.Item, canvas: Int, offset: Int)
    throws(ContainerError)
  {
    guard Set(kept.tiles).count == kept.tiles.count else {
      throw .malformed("heif-layer-twice", offset: offset)
    }
    for id in kept.tiles {
      guard id != kept.id else { throw .malformed("heif-reference-cycle", offset: offset) }
      guard let item = meta.item(id) else { throw .malformed("heif-layer-missing", offset: offset) }
      guard item.type == "hvc1" || item.type == "grid" else { throw .unsupported(item.type) }
      let size = try add(item)
      layerPixels += size.width * size.height
      try limits.check(canvas + layerPixels, .pixels, upTo: limits.pixels)
    }
  }

  /// `true` if the overlay's fill is transparent and may be visible, because no opaque layer covers the whole canvas.
  var overlayShowsFill: Bool {
    guard let overlay, overlay.fill[3] < 0xFF80 else { return false }
    let itemsWithAlpha = Set(items.flatMap(\.alphaOf))
    return !(items.first?.tiles ?? []).enumerated().contains { layer, id in
      let pictures = [id] + (tiles[id] ?? [])
      guard let size = sizes[id], pictures.allSatisfy({ !itemsWithAlpha.contains($0) }) else {
        return false
      }
      return overlay.isCovered(by: size, at: layer)
    }
  }

  /// Adds the alpha of a kept item. An alpha of the same size is preferred to one that must be scaled.
  ///
  /// - Throws: `unsupported("heif-alpha")` if no alpha can be used. Without it, areas that a person has cut out would
  ///   be visible.
  mutating func addAlpha(of id: Int) throws(ContainerError) -> Bool {
    guard let size = sizes[id], let master = position(of: id) else { return false }
    let found = (alphas[id] ?? []).subtracting([id]).sorted(by: >)
    guard !found.isEmpty else { return false }
    let usable = found.compactMap(meta.item).filter { $0.type == "hvc1" || $0.type == "grid" }
    let alike = usable.first {
      let properties = meta.properties(of: $0.id)
      return properties.pictureSize.flatMap(properties.outputSize) ?? (0, 0) == size
    }
    guard let item = alike ?? usable.first else { throw .unsupported("heif-alpha") }
    let alphaSize = try add(item)
    // A much larger alpha would need memory that the picture's size doesn't account for.
    guard alphaSize.width * alphaSize.height <= 4 * size.width * size.height + 65_536,
      let position = position(of: item.id)
    else { throw .unsupported("heif-alpha") }
    items[position].alphaOf.append(id)
    let isPremultiplied = premultiplied[id]?.contains(item.id) == true
    if isPremultiplied { items[master].premultipliedBy = item.id }
    if alphaSize != size || isPremultiplied || bitDepth(of: item.id) != bitDepth(of: id) {
      hasSeparateAlpha = true
    }
    return true
  }

  /// Returns the bit depth of a coded picture, or of a grid's first tile.
  private func bitDepth(of id: Int) -> Int? {
    meta.properties(of: tiles[id]?.first ?? id).configuration?.bitDepth
  }

  private func position(of id: Int) -> Int? { items.firstIndex { $0.id == id } }
}

extension HEVCConfiguration {
  /// Returns `true` if samples are YCgCo with more than 8 bits, which libheif 1.15 displays nearly black.
  fileprivate func isDeepYCgCo(_ properties: [HEICProperty]) -> Bool {
    var matrix = properties.matrix?.coefficients ?? 2
    // If the file has no matrix, the stream may have one.
    for set in parameterSets where matrix == 2 {
      if case .codePoints(_, _, let stated, _)? = set.colorTag { matrix = stated }
    }
    return matrix == 8 && bitDepth > 8 && chromaFormat > 0
  }
}

extension [HEICProperty] {
  /// The size in the last `ispe`, which is the one that libheif uses.
  var pictureSize: (width: Int, height: Int)? {
    for property in reversed() {
      if case .size(let width, let height) = property.value { return (width, height) }
    }
    return nil
  }

  var configuration: HEVCConfiguration? {
    for property in self {
      if case .hevc(let configuration) = property.value { return configuration }
    }
    return nil
  }

  /// Returns the size after crops, rotations and mirrorings in order, or `nil` if a crop is empty.
  func outputSize(_ size: (width: Int, height: Int)) -> (width: Int, height: Int)? {
    var size = size
    for property in self {
      switch property.value {
      case .crop(let aperture):
        guard let cropped = aperture.applied(width: size.width, height: size.height) else {
          return nil
        }
        size = cropped
      case .rotation(let turns) where turns % 2 == 1: size = (size.height, size.width)
      default: break
      }
    }
    return size
  }
}

extension HEICMeta {
  /// Returns an item's data as a range of a byte array: of the file's bytes, or of a copy if the item has several
  /// ranges.
  func joined(_ ranges: [Range<Int>]) -> (bytes: [UInt8], range: Range<Int>) {
    if ranges.count == 1 { return (bytes, ranges[0]) }
    var joined: [UInt8] = []
    for range in ranges {
      // Overlapping extents could declare far more bytes than the file has.
      guard joined.count + range.count <= bytes.count else { break }
      joined.append(contentsOf: bytes[range])
    }
    return (joined, 0..<joined.count)
  }
}
