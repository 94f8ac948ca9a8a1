/// Turning without decoding.
extension JPEGContainer {
  /// Turns and mirrors an ordinary JPEG by exchanging and negating coefficients: not a pixel is lost
  /// or rounded, as it would be by decoding and encoding again.
  ///
  /// Color segments are kept; restart markers go. The result has the original's Huffman tables where
  /// they can code every picture, else those of T.81, annex K.
  ///
  /// - Parameters:
  ///   - clean: what `clean` gave.
  ///   - orientation: the EXIF orientation (1 to 8) that the result has no need of.
  /// - Returns: nil when this JPEG can only be turned by decoding it: it is progressive or
  ///   arithmetic-coded, has several scans, has a side that whole units do not fill and that would
  ///   come to lie left or on top, or its data is damaged.
  public static func turned(
    _ clean: [UInt8], orientation: Int, limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8]? {
    let turn = JPEGTurn(orientation: orientation)
    guard let scan = try JPEGScan(clean, limits: limits), turn.isPossible(for: scan) else {
      return nil
    }
    let keepsTables = scan.components.allSatisfy {
      $0.dc.isComplete(forDC: true) && $0.ac.isComplete(forDC: false)
    }
    let coding = scan.components.indices.map {
      keepsTables ? JPEGCoding(scan.components[$0]) : JPEGCoding(typicalForLuma: $0 == 0)
    }
    guard let blocks = JPEGTurnedBlocks(scan, of: clean, by: turn, tables: coding.map(\.ac)),
      let data = blocks.inOrder(of: scan, by: turn, tables: coding.map(\.dc))
    else { return nil }

    var result: [UInt8] = [0xFF, 0xD8]
    result.reserveCapacity(clean.count + clean.count / 16)
    for segment in scan.segments.list {
      switch segment.marker {
      case JPEGMarker.dqt: result += turn.quantization(clean[segment.range])
      case JPEGMarker.sof0...JPEGMarker.sof2: result += turn.frame(clean[segment.range])
      case JPEGMarker.dht, JPEGMarker.dri: continue
      case JPEGMarker.sos: result += JPEGCoding.tables(coding) + JPEGCoding.scan(coding, scan.frame)
      default: result += clean[segment.range]
      }
    }
    JPEGEntropyData.append(stuffing: data, to: &result)
    result += [0xFF, JPEGMarker.eoi]
    return result
  }
}

/// The Huffman tables a component is written with.
private struct JPEGCoding {
  let dc, ac: JPEGHuffmanTable
  let selectors: UInt8

  /// Those it is read with.
  init(_ component: JPEGScan.Component) {
    (dc, ac, selectors) = (component.dc, component.ac, component.selectors)
  }

  init(typicalForLuma isLuma: Bool) {
    dc = .typical(forDC: true, isLuma: isLuma)
    ac = .typical(forDC: false, isLuma: isLuma)
    selectors = isLuma ? 0x00 : 0x11
  }

  /// A DHT segment with all tables (T.81, B.2.4.2).
  static func tables(_ coding: [JPEGCoding]) -> [UInt8] {
    var payloads: [UInt8: [UInt8]] = [:]
    for component in coding {
      let (dc, ac) = (component.selectors >> 4, component.selectors & 15 | 0x10)
      payloads[dc] = component.dc.payload(head: dc)
      payloads[ac] = component.ac.payload(head: ac)
    }
    let payload = payloads.keys.sorted().flatMap { payloads[$0] ?? [] }
    let length = payload.count + 2
    return [0xFF, JPEGMarker.dht, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
  }

  /// The scan header (T.81, B.2.3).
  static func scan(_ coding: [JPEGCoding], _ frame: JPEGFrame) -> [UInt8] {
    let count = UInt8(coding.count)
    let components = zip(frame.components, coding).flatMap { [$0.id, $1.selectors] }
    return [0xFF, JPEGMarker.sos, 0, 6 + 2 * count, count] + components + [0, 63, 0]
  }
}
