/// The bytes before the data of a finished JPEG: color, tables, frame and scan header. Equal contents always give equal
/// bytes. Segments are in the order in which libjpeg writes them.
///
/// Only tables that a component refers to are written, numbered in the order of their first use.
struct JPEGHead {
  struct Component {
    /// The ID in the frame header. IDs that spell `RGB` are written unchanged; others are replaced by numbers from 1.
    let id: UInt8
    /// The blocks of a minimum coded unit, across and down.
    let horizontal, vertical: Int
    /// The quantization step of each coefficient, in zigzag order.
    let quantization: [UInt16]
    let dc, ac: JPEGHuffmanTable
    /// The numbers of the Huffman tables: dc << 4 | ac. Components with an equal number share the table.
    let selectors: UInt8
  }

  let width, height: Int
  let color: JPEGColorSegments
  let components: [Component]
  /// The number of minimum coded units between restart markers, or 0 without restart markers.
  let restartInterval: Int

  /// All bytes from SOI to the scan header.
  var bytes: [UInt8] {
    var steps: [[UInt16]] = []
    var dc: [UInt8] = []
    var ac: [UInt8] = []
    var huffman: [UInt8] = []
    var frameComponents: [UInt8] = []
    var scanComponents: [UInt8] = []
    for (index, component) in components.enumerated() {
      let (quantization, _) = Self.number(of: component.quantization, in: &steps)
      let (dcNumber, isNewDC) = Self.number(of: component.selectors >> 4, in: &dc)
      let (acNumber, isNewAC) = Self.number(of: component.selectors & 15, in: &ac)
      if isNewDC { huffman += segment(JPEGMarker.dht, component.dc.payload(head: dcNumber)) }
      if isNewAC { huffman += segment(JPEGMarker.dht, component.ac.payload(head: acNumber | 0x10)) }
      let sampling = UInt8(component.horizontal << 4 | component.vertical)
      frameComponents += [ids[index], sampling, quantization]
      scanComponents += [ids[index], dcNumber << 4 | acNumber]
    }
    let isBaseline = max(dc.count, ac.count) <= 2 && steps.joined().allSatisfy { $0 <= 0xFF }

    var bytes = [0xFF, 0xD8] + color.finishedBytes(components: components.count)
    for (number, values) in steps.enumerated() {
      bytes += segment(JPEGMarker.dqt, Self.quantization(values, number: UInt8(number)))
    }
    let size = Self.big(height) + Self.big(width) + [UInt8(components.count)]
    bytes += segment(
      isBaseline ? JPEGMarker.sof0 : JPEGMarker.sof1, [8] + size + frameComponents)
    bytes += huffman
    if restartInterval > 0 { bytes += segment(JPEGMarker.dri, Self.big(restartInterval)) }
    bytes += segment(JPEGMarker.sos, [UInt8(components.count)] + scanComponents + [0, 63, 0])
    return bytes
  }

  /// Numbers from 1, or the letters that libjpeg takes as the sign of RGB.
  private var ids: [UInt8] {
    let ids = components.map(\.id)
    return ids.elementsEqual("RGB".utf8) ? ids : (1...4).prefix(ids.count).map { UInt8($0) }
  }

  private static func number<Table: Equatable>(
    of table: Table, in tables: inout [Table]
  ) -> (number: UInt8, isNew: Bool) {
    if let index = tables.firstIndex(of: table) { return (UInt8(index), false) }
    tables.append(table)
    return (UInt8(tables.count - 1), true)
  }

  /// Returns the payload of a DQT segment (T.81, B.2.4.1), with 8-bit values if all of them fit.
  private static func quantization(_ values: [UInt16], number: UInt8) -> [UInt8] {
    values.allSatisfy { $0 <= 0xFF }
      ? [number] + values.map { UInt8($0) } : [number | 0x10] + values.flatMap { big(Int($0)) }
  }

  private func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker] + Self.big(payload.count + 2) + payload
  }

  private static func big(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}
