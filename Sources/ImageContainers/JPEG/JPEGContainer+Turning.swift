/// Turning without decoding.
extension JPEGContainer {
  /// Turns and mirrors a JPEG by exchanging and negating coefficients: not a pixel is lost or rounded,
  /// as it would be by decoding and encoding again.
  ///
  /// Color segments are kept; restart markers go. The result has the original's Huffman tables where
  /// they can code every picture, else those of T.81, annex K.
  ///
  /// - Parameters:
  ///   - clean: what `clean` gave.
  ///   - orientation: the EXIF orientation (1 to 8) that the result has no need of.
  ///   - limits: what a file may cost before it is refused.
  /// - Returns: nil when this JPEG can only be turned by decoding it: it is arithmetic-coded, has a
  ///   side that whole units do not fill and that would come to lie left or on top, its data is
  ///   damaged, or a progressive picture is not complete. `read` gives the result its finished form.
  public static func turned(
    _ clean: [UInt8], orientation: Int, limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8]? {
    let turn = JPEGTurn(orientation: orientation)
    var bytes = clean
    var ordinary = try JPEGScan(bytes, limits: limits)
    if ordinary == nil, let anew = try JPEGCoefficients(clean, limits: limits)?.file() {
      bytes = anew
      ordinary = try JPEGScan(bytes, limits: limits)
    }
    guard let scan = ordinary, turn.isPossible(for: scan) else { return nil }
    let keepsTables = scan.components.allSatisfy {
      $0.dc.isComplete(forDC: true) && $0.ac.isComplete(forDC: false)
    }
    let coding = scan.components.indices.map {
      keepsTables ? JPEGCoding(scan.components[$0]) : JPEGCoding(typicalForLuma: $0 == 0)
    }
    guard let blocks = JPEGTurnedBlocks(scan, of: bytes, by: turn, tables: coding.map(\.ac)),
      let data = blocks.inOrder(of: scan, by: turn, tables: coding.map(\.dc))
    else { return nil }

    let isExchanged = turn.exchangesSides
    let components = zip(scan.components, coding).enumerated().map { index, component in
      JPEGHead.Component(
        id: scan.frame.components[index].id,
        horizontal: isExchanged ? component.0.vertical : component.0.horizontal,
        vertical: isExchanged ? component.0.horizontal : component.0.vertical,
        quantization: turn.quantization(component.0.quantization), dc: component.1.dc,
        ac: component.1.ac, selectors: component.1.selectors)
    }
    var result = JPEGHead(
      width: isExchanged ? scan.frame.height : scan.frame.width,
      height: isExchanged ? scan.frame.width : scan.frame.height, color: scan.color,
      components: components, restartInterval: 0
    ).bytes
    result.reserveCapacity(result.count + data.count + data.count / 16)
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
}
