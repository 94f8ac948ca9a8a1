/// The `meta` box of a still picture file (ISO 14496-12, 8.11; ISO 23008-12, 6.2). Apart from the type of the primary
/// item, its contents have been parsed but not checked.
struct HEICMeta {
  let bytes: [UInt8]
  let box: ISOBox
  /// All items in the order of their declaration.
  private(set) var items: [HEICItem] = []
  private(set) var primary: HEICItem
  private(set) var references: [HEICReference] = []
  private(set) var properties: [HEICProperty] = []
  private(set) var associations: [Int: [HEICAssociation]] = [:]
  private(set) var locations: [Int: HEICLocation] = [:]
  /// The entity groups with their kind (`ster`, `altr`, `brst`) and their items.
  private(set) var groups: [(type: String, members: [Int])] = []
  private(set) var itemData: ISOBox?
  /// The range of the handler's name, which decoding doesn't need.
  private(set) var handlerName: Range<Int> = 0..<0
  /// The boxes that decoding doesn't need.
  private(set) var unknownBoxes: [ISOBox] = []

  private var index: [Int: Int]

  func item(_ id: Int) -> HEICItem? { index[id].map { items[$0] } }

  func properties(of id: Int) -> [HEICProperty] {
    (associations[id] ?? []).map { properties[$0.property] }
  }

  /// Returns a copy with another primary item.
  func showing(_ item: HEICItem) -> HEICMeta {
    var meta = self
    meta.primary = item
    return meta
  }

  init(_ box: ISOBox, _ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    self.bytes = bytes
    self.box = box
    let start = box.range.lowerBound
    let children = try box.children(
      bytes, from: try box.fullBody(bytes).reader.offset, limits: limits)
    func first(_ type: String) throws(ContainerError) -> ISOBox {
      guard let box = children.first(where: { $0.type == type }) else {
        throw .malformed("heif-no-\(type)", offset: start)
      }
      return box
    }

    // Starts with the items and the primary item's type, which decides whether the file is a HEIC photo.
    var index: [Int: Int] = [:]
    for item in try Self.items(try first("iinf"), bytes, limits: limits)
    where index[item.id] == nil {
      index[item.id] = items.count
      items.append(item)
    }
    self.index = index
    var (reader, version, _) = try first("pitm").fullBody(bytes)
    let id = try reader.big(version == 0 ? 2 : 4, "pitm")
    guard let position = index[id] else {
      throw .malformed("heif-primary-missing", offset: start)
    }
    primary = items[position]
    guard ["hvc1", "grid", "iovl", "iden"].contains(primary.type) else {
      throw primary.type.contains("?") || primary.type.isEmpty
        ? .malformed("heif-primary-type", offset: primary.box.lowerBound)
        : .unsupported(primary.type)
    }

    try readProperties(try first("iprp"), limits: limits)
    locations = try HEICLocation.parse(try first("iloc"), bytes, limits: limits)
    itemData = children.first { $0.type == "idat" }
    if let box = children.first(where: { $0.type == "iref" }) {
      references = try HEICReference.parse(box, bytes, limits: limits)
    }
    try followIdentity()
    if let box = children.first(where: { $0.type == "hdlr" }) { try readHandler(box) }
    if let box = children.first(where: { $0.type == "grpl" }) {
      // Groups only help to classify removed items, so damaged ones are ignored.
      for group in try box.children(bytes, limits: limits) { try? readGroup(group) }
    }
    let known: Set = ["hdlr", "pitm", "iinf", "iref", "iprp", "iloc", "idat", "grpl", "dinf"]
    unknownBoxes = children.filter { !known.contains($0.type) }
  }

  private static func items(_ box: ISOBox, _ bytes: [UInt8], limits: ContainerLimits)
    throws(ContainerError) -> [HEICItem]
  {
    var (reader, version, _) = try box.fullBody(bytes)
    // The boxes are counted instead of using the declared number. A wrong number is damage, not a large file.
    try reader.skip(version == 0 ? 2 : 4, for: "iinf")
    let children = try box.children(bytes, from: reader.offset, limits: limits)
      .filter { $0.type == "infe" }
    try limits.check(children.count, .items, upTo: limits.items)
    var items: [HEICItem] = []
    for child in children { items.append(try HEICItem(child, bytes)) }
    return items
  }

  private mutating func readProperties(_ box: ISOBox, limits: ContainerLimits)
    throws(ContainerError)
  {
    let children = try box.children(bytes, limits: limits)
    guard let container = children.first(where: { $0.type == "ipco" }) else {
      throw .malformed("heif-no-ipco", offset: box.range.lowerBound)
    }
    properties = try container.children(bytes, limits: limits).map { HEICProperty($0, bytes) }
    for child in children where child.type == "ipma" {
      try HEICAssociation.parse(
        child, bytes, into: &associations, propertyCount: properties.count,
        limits: limits)
    }
  }

  /// Replaces identity derivations (`iden`, ISO 23008-12, 6.6.2.1) of the primary item by the picture that they show.
  /// Their rotations, mirrorings, crops and colors are applied after those of the picture.
  private mutating func followIdentity() throws(ContainerError) {
    let derivations = Dictionary(grouping: references.filter { $0.type == "dimg" }, by: \.from)
    // From the outermost identity inward. The outermost is applied last.
    var identities: [HEICItem] = []
    var passed: Set<Int> = []
    while primary.type == "iden" {
      identities.append(primary)
      passed.insert(primary.id)
      let targets = (derivations[primary.id] ?? []).flatMap(\.to)
      // A cycle of identities would never end.
      guard targets.count == 1, !passed.contains(targets[0]), let source = item(targets[0]) else {
        throw .malformed("heif-identity", offset: primary.box.lowerBound)
      }
      guard ["hvc1", "grid", "iovl", "iden"].contains(source.type) else {
        throw .unsupported(source.type)
      }
      primary = source
    }
    guard !passed.isEmpty else { return }
    let source = primary.id
    associations[source, default: []] += identities.reversed().flatMap { identity in
      (associations[identity.id] ?? []).filter {
        properties[$0.property].isTransformation || properties[$0.property].box.type == "colr"
      }
    }
    items.removeAll { passed.contains($0.id) }
    index = Dictionary(uniqueKeysWithValues: items.enumerated().map { ($1.id, $0) })
    references = references.filter { !passed.contains($0.from) }.map { reference in
      HEICReference(
        type: reference.type, from: reference.from,
        to: reference.to.map { passed.contains($0) ? source : $0 })
    }
  }

  private mutating func readHandler(_ box: ISOBox) throws(ContainerError) {
    var (reader, _, _) = try box.fullBody(bytes)
    try reader.skip(4, for: "hdlr")
    guard try reader.fourCC("hdlr") == "pict" else {
      throw .malformed("heif-handler", offset: box.range.lowerBound)
    }
    guard reader.remaining > 12 else { return }
    try reader.skip(12, for: "hdlr")
    handlerName = reader.terminated()
  }

  private mutating func readGroup(_ box: ISOBox) throws(ContainerError) {
    var (reader, _, _) = try box.fullBody(bytes)
    _ = try reader.big(4, "grpl")
    var members: [Int] = []
    for _ in 0..<(try reader.big(4, "grpl")) { members.append(try reader.big(4, "grpl")) }
    groups.append((box.type, members))
  }
}

extension HEICMeta {
  /// Returns the ranges of an item's bytes, all inside this file. Returns `nil` if the item has no location or its data
  /// is elsewhere.
  func ranges(of id: Int) throws(ContainerError) -> [Range<Int>]? {
    guard let location = locations[id], location.dataReference == 0, location.method <= 1 else {
      return nil
    }
    var source = 0..<bytes.count
    if location.method == 1 {
      guard let itemData else { throw .malformed("heif-no-idat", offset: box.range.lowerBound) }
      source = itemData.body
    }
    var ranges: [Range<Int>] = []
    for extent in location.extents where extent.length > 0 {
      guard extent.offset + extent.length <= source.count else {
        throw .truncated("item", offset: min(source.lowerBound + extent.offset, source.upperBound))
      }
      let start = source.lowerBound + extent.offset
      ranges.append(start..<start + extent.length)
    }
    return ranges
  }

  /// Returns `true` if the file ends before the end of the item.
  func isCut(_ id: Int) -> Bool {
    do throws(ContainerError) {
      _ = try ranges(of: id)
      return false
    } catch {
      if case .truncated = error { return true }
      return false
    }
  }

  /// Returns the ranges of an item that decoding needs. Throws if they are missing or empty.
  func neededRanges(of id: Int) throws(ContainerError) -> [Range<Int>] {
    if let method = locations[id]?.method, method > 1 {
      throw .unsupported("heif-construction-method-\(method)")
    }
    guard locations[id]?.dataReference ?? 0 == 0 else { throw .unsupported("heif-other-file") }
    guard !isCut(id) else { throw .incomplete("heif-item", percentShown: nil) }
    guard let ranges = try ranges(of: id), !ranges.isEmpty else {
      throw .malformed("heif-item-without-data", offset: box.range.lowerBound)
    }
    return ranges
  }
}
