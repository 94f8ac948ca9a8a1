/// Media types, and the words for codings inside a container, as a person knows them.
enum MediaTypeWords {
  /// What a file is, with its article: `a TIFF image`.
  static func noun(for detected: String) -> String {
    if let known = known[detected] { return known }
    let parts = detected.split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return "a kind of picture PetSpot cannot read (\(detected))" }
    return switch parts[0] {
    case "image": "an image of type \(detected)"
    case "video": "a video (\(detected))"
    case "audio": "a sound (\(detected))"
    case "text": "a text file (\(detected))"
    case "font": "a font (\(detected))"
    default: "a file of type \(detected)"
    }
  }

  private static let known: [String: String] = [
    // Pictures.
    "image/tiff": "a TIFF image",
    "image/bmp": "a BMP image",
    "image/x-ms-bmp": "a BMP image",
    "image/avif": "an AVIF image",
    "image/avif-sequence": "an AVIF animation",
    "image/heif": "a HEIF image that is not HEIC",
    "image/heif-sequence": "a HEIF sequence without a still picture",
    "image/heic-sequence": "a HEIC sequence without a still picture",
    "image/svg+xml": "an SVG drawing",
    "image/jxl": "a JPEG XL image",
    "image/jp2": "a JPEG 2000 image",
    "image/jpx": "a JPEG 2000 image",
    "image/x-jp2-codestream": "a JPEG 2000 image",
    "image/jls": "a JPEG-LS image",
    "image/x-tga": "a TGA image",
    "image/vnd.microsoft.icon": "an icon file (ICO)",
    "image/x-icon": "an icon file (ICO)",
    "image/x-win-bitmap": "a cursor file (CUR)",
    "image/vnd.adobe.photoshop": "a Photoshop document",
    "image/x-xcf": "a GIMP document",
    "image/x-canon-cr2": "a camera raw file (CR2)",
    "image/x-canon-cr3": "a camera raw file (CR3)",
    "image/x-canon-crw": "a camera raw file (CRW)",
    "image/x-nikon-nef": "a camera raw file (NEF)",
    "image/x-sony-arw": "a camera raw file (ARW)",
    "image/x-adobe-dng": "a camera raw file (DNG)",
    "image/x-portable-bitmap": "a PBM image",
    "image/x-portable-greymap": "a PGM image",
    "image/x-portable-pixmap": "a PPM image",
    "image/x-xpixmap": "an XPM image",
    "image/x-exr": "an OpenEXR image",
    "image/vnd.radiance": "a Radiance HDR image",
    "image/vnd.dwg": "an AutoCAD drawing",
    // Films and sounds.
    "video/mp4": "an MP4 video",
    "video/quicktime": "a QuickTime video",
    "video/x-msvideo": "an AVI video",
    "video/x-ms-asf": "a Windows Media video",
    "video/webm": "a WebM video",
    "video/x-matroska": "a Matroska video",
    "audio/mpeg": "an MP3 sound",
    "audio/ogg": "an Ogg sound",
    // Documents and everything else.
    "application/pdf": "a PDF document",
    "application/postscript": "a PostScript document",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "a Word document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "an Excel workbook",
    "application/vnd.oasis.opendocument.text": "an OpenDocument text",
    "application/zip": "a ZIP archive",
    "application/gzip": "a gzip archive",
    "application/zstd": "a Zstandard archive",
    "application/x-tar": "a tar archive",
    "application/x-rar": "a RAR archive",
    "application/x-7z-compressed": "a 7-Zip archive",
    "application/json": "a JSON file",
    "application/x-executable": "a program",
    "application/x-pie-executable": "a program",
    "application/vnd.iccprofile": "a color profile",
    "application/octet-stream": "of a type PetSpot does not know",
    "text/plain": "a text file",
    "text/html": "a web page",
    "text/rtf": "a rich text document",
    "text/xml": "an XML file",
    // Codings inside a container we know.
    "av01": "an AVIF image",
    "avif": "an AVIF image",
    "jpeg": "a HEIF image with JPEG inside",
    "j2k1": "a HEIF image with JPEG 2000 inside",
    "unci": "an uncompressed HEIF image",
    "iovl": "a HEIF image made of overlays",
    "jpeg-lossless": "a lossless JPEG",
    "jpeg-arithmetic": "an arithmetic-coded JPEG",
    "jpeg-12-bit": "a 12-bit JPEG",
    "jpeg-hierarchical": "a hierarchical JPEG",
    "png-cgbi": "an iOS app image (CgBI), not a standard PNG",
  ]
}
