extension HEICFile {
  /// Returns all parts that the cleaned file leaves out, apart from the framing of kept parts.
  func parts(beside picture: HEICPicture) -> [ContainerPart] {
    var sum = PartSum()
    let kept = Set(picture.items.map(\.id))
    let kinds = DroppedItems(meta, kept: kept).kinds
    var used: [Range<Int>] = []
    var unknown: [Range<Int>] = []
    for item in meta.items {
      let ranges = (try? meta.ranges(of: item.id)) ?? []
      used += ranges
      if let (kind, origin) = kinds[item.id] {
        if kind == .unknown { unknown += ranges }
        sum.add(kind, ranges.reduce(item.box.count) { $0 + $1.count }, "\(origin) item")
      } else if !item.name.isEmpty {
        sum.add(.text, item.name.count, "infe name")
      }
    }
    addProperties(to: &sum, kept: kept, kinds: kinds)
    if !meta.handlerName.isEmpty { sum.add(.text, meta.handlerName.count, "hdlr name") }
    // Thousands of items may share the same bytes, so they are merged and searched once.
    for range in Coverage(unknown).ranges {
      for part in RemovedBytes.parts(of: range, in: bytes, as: .unknown, origin: "item")
      where part.kind.isLoss {
        sum.add(part.kind, part.byteCount, part.origin)
      }
    }
    for part in picture.unknownUnits { sum.add(part.kind, part.byteCount, part.origin) }
    for box in meta.unknownBoxes { search(box.range, as: .unknown, "\(box.type) box", &sum) }
    addBoxes(to: &sum, used: Coverage(used))
    return sum.parts
  }

  /// Adds the properties that no kept item needs. A property gets the kind of the first removed item that uses it.
  private func addProperties(
    to sum: inout PartSum, kept: Set<Int>,
    kinds: [Int: (kind: ContainerPart.Kind, origin: String)]
  ) {
    var owners = [Int?](repeating: nil, count: meta.properties.count)
    var needed = [Bool](repeating: false, count: meta.properties.count)
    for item in meta.items {
      for association in meta.associations[item.id] ?? [] {
        let property = association.property
        if kept.contains(item.id) {
          if meta.properties[property].isNeeded { needed[property] = true }
        } else if owners[property] == nil {
          owners[property] = item.id
        }
      }
    }
    for (index, property) in meta.properties.enumerated() where !needed[index] {
      if let owner = owners[index], let (kind, origin) = kinds[owner] {
        sum.add(kind, property.box.range.count, "\(origin) item")
      } else {
        search(property.box.range, as: .unknown, "\(property.box.type) property", &sum)
      }
    }
  }

  private func search(
    _ range: Range<Int>, as kind: ContainerPart.Kind, _ origin: String, _ sum: inout PartSum
  ) {
    for part in RemovedBytes.parts(of: range, in: bytes, as: kind, origin: origin) {
      sum.add(part.kind, part.byteCount, part.origin)
    }
  }

  private func addBoxes(to sum: inout PartSum, used: Coverage) {
    let tracks: ContainerPart.Kind = trackHandlers.contains("pict") ? .burstFrames : .motionVideo
    let hasTracks = boxes.contains { $0.type == "moov" || $0.type == "moof" }
    for box in boxes {
      switch box.type {
      case "ftyp", "meta": break
      case "mdat":
        // Bytes that belong to no item are samples of a track, or hidden data.
        for gap in used.gaps(in: box.body) {
          search(gap, as: hasTracks ? tracks : .unknown, "mdat box", &sum)
        }
      case "moov", "moof": sum.add(tracks, box.range.count, "\(box.type) box")
      case "mpvd": sum.add(.motionVideo, box.range.count, "mpvd box")
      case "uuid" where bytes[box.body].starts(with: Self.xmpType):
        sum.add(.xmp, box.range.count, "uuid box")
      case "uuid" where bytes[box.body].starts(with: Self.credentialsType):
        sum.add(.contentCredentials, box.range.count, "uuid box")
      default: search(box.range, as: .unknown, "\(box.type) box", &sum)
      }
    }
    if let data = meta.itemData {
      for gap in used.gaps(in: data.body) { search(gap, as: .unknown, "idat box", &sum) }
    }
    search(end..<bytes.count, as: .trailing, "end", &sum)
  }

  /// BE7ACFCB-97A9-42E8-9C71-999491E3AFAC: XMP in ISO files (XMP specification part 3, 1.2.7).
  private static let xmpType: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]
  /// D8FEC3D6-1B0E-483C-9297-5828877EC481: Content Credentials in ISO files (C2PA 2.1, A.5).
  private static let credentialsType: [UInt8] = [
    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
  ]
}

/// The bytes of the file that belong to items, as sorted ranges that don't touch.
private struct Coverage {
  private(set) var ranges: [Range<Int>] = []

  init(_ used: [Range<Int>]) {
    for range in used.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = ranges.last, range.lowerBound <= last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
  }

  /// Returns the bytes of `region` that belong to no item.
  func gaps(in region: Range<Int>) -> [Range<Int>] {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= region.lowerBound { low = middle + 1 } else { high = middle }
    }
    var gaps: [Range<Int>] = []
    var start = region.lowerBound
    for range in ranges[low...] {
      guard range.lowerBound < region.upperBound else { break }
      if start < range.lowerBound { gaps.append(start..<range.lowerBound) }
      start = min(range.upperBound, region.upperBound)
    }
    return start < region.upperBound ? gaps + [start..<region.upperBound] : gaps
  }
}

/// Merges parts of the same kind and origin, in the order of their first occurrence.
private struct PartSum {
  private(set) var parts: [ContainerPart] = []
  private var indices: [Key: Int] = [:]

  private struct Key: Hashable {
    let kind: ContainerPart.Kind
    let origin: String
  }

  mutating func add(_ kind: ContainerPart.Kind, _ count: Int, _ origin: String) {
    guard count > 0 else { return }
    let key = Key(kind: kind, origin: origin)
    if let index = indices[key] {
      parts[index].byteCount += count
    } else {
      indices[key] = parts.count
      parts.append(ContainerPart(kind, bytes: count, origin: origin))
    }
  }
}

/// Determines the kind of each removed item from its type and from the references and groups that contain it.
private struct DroppedItems {
  private(set) var kinds: [Int: (kind: ContainerPart.Kind, origin: String)] = [:]

  init(_ meta: HEICMeta, kept: Set<Int>) {
    let dropped = meta.items.filter { !kept.contains($0.id) }
    let derivations = meta.references.filter { $0.type == "dimg" && !kept.contains($0.from) }
    let inputs = Set(
      derivations.flatMap { reference in reference.to.filter { $0 != reference.from } })

    for item in dropped where !item.isPicture {
      kinds[item.id] = (item.type == "Exif" ? .exif : item.isXMP ? .xmp : .unknown, item.origin)
    }
    // Thousands of references can name one item, so its kind is only determined once.
    func name(_ id: Int, _ kind: @autoclosure () -> ContainerPart.Kind) {
      guard !kept.contains(id), kinds[id] == nil, let item = meta.item(id) else { return }
      kinds[id] = (kind(), item.origin)
    }
    for reference in meta.references {
      switch reference.type {
      case "thmb": name(reference.from, .thumbnail)
      case "auxl": name(reference.from, Self.auxiliaryKind(meta.properties(of: reference.from)))
      case "dimg" where meta.item(reference.from)?.type == "tmap":
        // A tone map is derived from the base picture and the gain map.
        name(reference.from, .gainMap)
        for id in reference.to.dropFirst() { name(id, .gainMap) }
      default: break
      }
    }
    for group in meta.groups where group.type == "ster" && group.members.contains(meta.primary.id) {
      for id in group.members { name(id, .spatialPair) }
    }
    let others = dropped.filter { kinds[$0.id] == nil && !inputs.contains($0.id) }
    for item in others { name(item.id, others.count > 1 ? .burstFrames : .secondPicture) }

    // The inputs of a removed picture get its kind.
    let madeFrom = Dictionary(grouping: derivations, by: \.from)
    var waiting = Array(kinds.keys.sorted().reversed())
    while let id = waiting.popLast() {
      guard let owner = kinds[id] else { continue }
      for input in (madeFrom[id] ?? []).flatMap(\.to)
      where kinds[input] == nil && !kept.contains(input) && meta.item(input) != nil {
        kinds[input] = owner
        waiting.append(input)
      }
    }
    for item in dropped { name(item.id, .secondPicture) }
  }

  private static func auxiliaryKind(_ properties: [HEICProperty]) -> ContainerPart.Kind {
    for property in properties {
      guard case .auxiliary(let kind) = property.value else { continue }
      if kind.contains("hdrgainmap") || kind.contains("21496") { return .gainMap }
      if kind == "urn:mpeg:hevc:2015:auxid:2" || kind.hasSuffix(":auxiliary:depth")
        || kind.contains(":disparity")
      {
        return .depthMap
      }
    }
    return .auxiliaryPicture
  }
}

extension HEICItem {
  fileprivate var origin: String { type.isEmpty ? "untyped" : type }
}
