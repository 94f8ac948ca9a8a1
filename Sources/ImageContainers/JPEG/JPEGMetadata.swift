/// The contents of the segments that decoding does not need.
struct JPEGMetadata {
  /// The first EXIF block with a readable header.
  private(set) var exif: EXIF?
  /// All XMP packets together.
  private(set) var xmp = XMP()
  /// The ICC profile, joined from its chunks in the order of their numbers. Empty if the file has no profile.
  private(set) var profile: [UInt8] = []
  /// The removed parts in file order. Bytes that belong to no segment come last.
  private(set) var parts: [ContainerPart] = []
  /// `true` if the picture identifies itself as a gain map (ISO 21496-1 or `hdrgm`).
  private(set) var isGainMap = false

  /// Classifies all segments except those at the `needed` indices, which are ascending.
  init(
    _ bytes: [UInt8], _ segments: JPEGSegments, without needed: [Int], limits: ContainerLimits
  ) {
    var profileChunks: [(number: UInt8, range: Range<Int>)] = []
    var depthCarriers: [Int] = []
    var next = needed[...]
    for (index, segment) in segments.list.enumerated() {
      if next.first == index {
        next.removeFirst()
        continue
      }
      let kind: ContainerPart.Kind
      let payload = segment.payload
      switch JPEGSignature(bytes, segment) {
      case .jfif: kind = payload.count > 14 ? .thumbnail : .application
      case .jfxx: kind = .thumbnail
      case .exif:
        kind = .exif
        exif = exif ?? EXIF.parse(bytes, in: payload)
      case .xmp:
        kind = .xmp
        xmp.formUnion(XMP.parse(bytes, in: payload))
      case .extendedXMP:
        kind = .xmp
        depthCarriers.append(parts.count)
        xmp.formUnion(XMP.parse(bytes, in: payload))
      case .profile:
        kind = .colorProfile
        let start = payload.lowerBound + JPEGSignature.profile.length
        if payload.upperBound - start >= 2 {
          profileChunks.append((bytes[start], start + 2..<payload.upperBound))
        }
      case .gainMap:
        kind = .application
        isGainMap = true
      case .photoshop: kind = .iptc
      // Capture notes of Huawei, which are a TIFF structure without pictures.
      case .application where bytes[payload].starts(with: "HUAWEI\0\0II*\0".utf8): kind = .exif
      // ISO 19566-5, D.2: an instance, a number and a box's size follow the identifier, and then the box's type.
      case .boxes where bytes[payload].dropFirst(12).starts(with: "jumb".utf8):
        kind = .contentCredentials
      case .comment: kind = .comment
      case .application, .boxes: kind = .application
      case .table: kind = .unknown
      }
      parts += RemovedBytes.parts(
        of: segment.range, in: bytes, as: kind, origin: Self.origin(of: segment.marker))
    }
    // Google's camera stores the depth map and the unblurred picture in the extended packet.
    if xmp.hasDepthMap { for index in depthCarriers { parts[index].kind = .depthMap } }
    if xmp.hasGainMap { isGainMap = true }
    if segments.strayBytes > 0 {
      parts.append(
        ContainerPart(.unknown, bytes: segments.strayBytes, origin: "between segments"))
    }
    profile = Self.join(profileChunks, of: bytes)
  }

  /// Joins the chunks of a profile (ICC.1:2010, annex B.4). Ignores the count of chunks because some writers get it
  /// wrong.
  private static func join(
    _ chunks: [(number: UInt8, range: Range<Int>)], of bytes: [UInt8]
  ) -> [UInt8] {
    var seen: Set<UInt8> = []
    var profile: [UInt8] = []
    // The sort is stable, so the first of two chunks with one number wins.
    for (number, range) in chunks.sorted(by: { $0.number < $1.number })
    where seen.insert(number).inserted {
      profile.append(contentsOf: bytes[range])
    }
    return profile
  }

  private static func origin(of marker: UInt8) -> String {
    switch marker {
    case JPEGMarker.com: "COM"
    case JPEGMarker.app0...0xEF: "APP\(marker - JPEGMarker.app0)"
    default: "after the last scan"
    }
  }
}

/// The kind of an application segment, which its marker and first bytes determine.
enum JPEGSignature: String, CaseIterable {
  case jfif = "JFIF\0"
  case jfxx = "JFXX\0"
  /// EXIF 2.32, 4.7.2. Two zero bytes follow `Exif`, but some cameras write another byte instead of the second.
  case exif = "Exif\0"
  /// XMP specification part 3, 1.1.3 and 1.1.3.1.
  case xmp = "http://ns.adobe.com/xap/1.0/\0"
  case extendedXMP = "http://ns.adobe.com/xmp/extension/\0"
  case profile = "ICC_PROFILE\0"
  /// ISO 21496-1, C.2.3.
  case gainMap = "urn:iso:std:iso:ts:21496:-1\0"
  case photoshop = "Photoshop 3.0\0"
  /// Boxes of JPEG XT and of JUMBF (ISO 18477-3, B.3).
  case boxes = "JP"
  case comment, application, table

  /// The length of the signature in the segment, in bytes.
  var length: Int { rawValue.utf8.count }

  private var marker: UInt8? {
    switch self {
    case .jfif, .jfxx: JPEGMarker.app0
    case .exif, .xmp, .extendedXMP: JPEGMarker.app1
    case .profile, .gainMap: JPEGMarker.app2
    case .boxes: JPEGMarker.app11
    case .photoshop: JPEGMarker.app13
    case .comment, .application, .table: nil
    }
  }

  init(_ bytes: [UInt8], _ segment: JPEGSegment) {
    let payload = bytes[segment.payload]
    let match = Self.allCases.first {
      $0.marker == segment.marker && payload.starts(with: $0.rawValue.utf8)
    }
    if let match {
      self = match
    } else if segment.marker == JPEGMarker.com {
      self = .comment
    } else {
      self = segment.isApplication ? .application : .table
    }
  }
}
