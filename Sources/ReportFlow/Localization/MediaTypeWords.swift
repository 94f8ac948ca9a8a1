/// Media types, and the words for codings inside a container, as a person knows them.
package enum MediaTypeWords {
  /// What a file is, in English with its article: `a TIFF image`. Never a media type itself, which
  /// says nothing to a person.
  package static func noun(for detected: String, in words: Words) -> String {
    let names = known[detected] ?? other(detected)
    return words.language == .en ? names.en : names.pl
  }

  /// Whether a picture was detected, which other programs can save in a format that is taken.
  package static func isPicture(_ detected: String) -> Bool {
    detected.hasPrefix("image/") || !detected.contains("/")
  }

  private static func other(_ detected: String) -> (en: String, pl: String) {
    let parts = detected.split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else {
      return ("a picture of an unknown kind", "obraz, którego PetSpot nie umie odczytać")
    }
    return switch parts[0] {
    case "image": ("an image of another kind", "obraz innego rodzaju")
    case "video": ("a video", "film")
    case "audio": ("an audio file", "plik dźwiękowy")
    case "text": ("a text file", "plik tekstowy")
    case "font": ("a font", "czcionka")
    default: ("a file of an unknown kind", "plik nieznanego rodzaju")
    }
  }

  private static let known: [String: (en: String, pl: String)] = [
    // Pictures.
    "image/tiff": ("a TIFF image", "obraz TIFF"),
    "image/bmp": ("a BMP image", "obraz BMP"),
    "image/x-ms-bmp": ("a BMP image", "obraz BMP"),
    "image/avif": ("an AVIF image", "obraz AVIF"),
    "image/avif-sequence": ("an AVIF animation", "animacja AVIF"),
    "image/heif": ("a HEIF image other than HEIC", "obraz HEIF, który nie jest HEIC"),
    "image/heif-sequence": (
      "a HEIF sequence without a still picture", "sekwencja HEIF bez zdjęcia"
    ),
    "image/heic-sequence": (
      "a HEIC sequence without a still picture", "sekwencja HEIC bez zdjęcia"
    ),
    "image/svg+xml": ("an SVG drawing", "rysunek SVG"),
    "image/jxl": ("a JPEG XL image", "obraz JPEG XL"),
    "image/jp2": ("a JPEG 2000 image", "obraz JPEG 2000"),
    "image/jpx": ("a JPEG 2000 image", "obraz JPEG 2000"),
    "image/x-jp2-codestream": ("a JPEG 2000 image", "obraz JPEG 2000"),
    "image/jls": ("a JPEG-LS image", "obraz JPEG-LS"),
    "image/x-tga": ("a TGA image", "obraz TGA"),
    "image/vnd.microsoft.icon": ("an icon file (ICO)", "plik ikony (ICO)"),
    "image/x-icon": ("an icon file (ICO)", "plik ikony (ICO)"),
    "image/x-win-bitmap": ("a cursor file (CUR)", "plik kursora (CUR)"),
    "image/vnd.adobe.photoshop": ("a Photoshop document", "dokument Photoshopa"),
    "image/x-xcf": ("a GIMP document", "dokument GIMP-a"),
    "image/x-canon-cr2": ("a camera raw file (CR2)", "plik RAW z aparatu (CR2)"),
    "image/x-canon-cr3": ("a camera raw file (CR3)", "plik RAW z aparatu (CR3)"),
    "image/x-canon-crw": ("a camera raw file (CRW)", "plik RAW z aparatu (CRW)"),
    "image/x-nikon-nef": ("a camera raw file (NEF)", "plik RAW z aparatu (NEF)"),
    "image/x-sony-arw": ("a camera raw file (ARW)", "plik RAW z aparatu (ARW)"),
    "image/x-adobe-dng": ("a camera raw file (DNG)", "plik RAW z aparatu (DNG)"),
    "image/x-portable-bitmap": ("a PBM image", "obraz PBM"),
    "image/x-portable-greymap": ("a PGM image", "obraz PGM"),
    "image/x-portable-pixmap": ("a PPM image", "obraz PPM"),
    "image/x-xpixmap": ("an XPM image", "obraz XPM"),
    "image/x-exr": ("an OpenEXR image", "obraz OpenEXR"),
    "image/vnd.radiance": ("a Radiance HDR image", "obraz Radiance HDR"),
    "image/vnd.dwg": ("an AutoCAD drawing", "rysunek AutoCAD-a"),
    // Films and sounds.
    "video/mp4": ("an MP4 video", "film MP4"),
    "video/quicktime": ("a QuickTime video", "film QuickTime"),
    "video/x-msvideo": ("an AVI video", "film AVI"),
    "video/x-ms-asf": ("a Windows Media video", "film Windows Media"),
    "video/webm": ("a WebM video", "film WebM"),
    "video/x-matroska": ("a Matroska video", "film Matroska"),
    "audio/mpeg": ("an MP3 audio file", "plik dźwiękowy MP3"),
    "audio/ogg": ("an Ogg audio file", "plik dźwiękowy Ogg"),
    // Documents and everything else.
    "application/pdf": ("a PDF document", "dokument PDF"),
    "application/postscript": ("a PostScript document", "dokument PostScript"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": (
      "a Word document", "dokument Worda"
    ),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": (
      "an Excel workbook", "skoroszyt Excela"
    ),
    "application/vnd.oasis.opendocument.text": (
      "an OpenDocument text document", "dokument tekstowy OpenDocument"
    ),
    "application/zip": ("a ZIP archive", "archiwum ZIP"),
    "application/gzip": ("a gzip archive", "archiwum gzip"),
    "application/zstd": ("a Zstandard archive", "archiwum Zstandard"),
    "application/x-tar": ("a tar archive", "archiwum tar"),
    "application/x-rar": ("a RAR archive", "archiwum RAR"),
    "application/x-7z-compressed": ("a 7-Zip archive", "archiwum 7-Zip"),
    "application/json": ("a JSON file", "plik JSON"),
    "application/x-executable": ("a program", "program"),
    "application/x-pie-executable": ("a program", "program"),
    "application/vnd.iccprofile": ("a color profile", "profil kolorów"),
    "application/octet-stream": (
      "a file of an unknown kind", "plik nieznanego rodzaju"
    ),
    "text/plain": ("a text file", "plik tekstowy"),
    "text/html": ("an HTML page", "strona HTML"),
    "text/rtf": ("a rich text document", "dokument RTF"),
    "text/xml": ("an XML file", "plik XML"),
    // Codings inside a container we know.
    "av01": ("an AVIF image", "obraz AVIF"),
    "avif": ("an AVIF image", "obraz AVIF"),
    "heif-sequence": (
      "a HEIF sequence without a still picture", "sekwencja HEIF bez zdjęcia"
    ),
    "heif-protected": ("a HEIF image that is encrypted", "zaszyfrowany obraz HEIF"),
    "vvc1": ("a HEIF image with VVC inside", "obraz HEIF z VVC w środku"),
    "avc1": ("a HEIF image with AVC inside", "obraz HEIF z AVC w środku"),
    "jpeg": ("a HEIF image with JPEG inside", "obraz HEIF z JPEG w środku"),
    "j2k1": ("a HEIF image with JPEG 2000 inside", "obraz HEIF z JPEG 2000 w środku"),
    "unci": ("an uncompressed HEIF image", "nieskompresowany obraz HEIF"),
    "iovl": (
      "a HEIF image with an overlay inside another picture",
      "obraz HEIF z nakładką wewnątrz innego obrazu"
    ),
    "jpeg-lossless": ("a lossless JPEG", "bezstratny JPEG"),
    "jpeg-arithmetic": ("an arithmetic-coded JPEG", "JPEG z kodowaniem arytmetycznym"),
    "jpeg-12-bit": ("a 12-bit JPEG", "12-bitowy JPEG"),
    "jpeg-hierarchical": ("a hierarchical JPEG", "hierarchiczny JPEG"),
    "png-cgbi": (
      "an iOS app image (CgBI), not a standard PNG", "obraz aplikacji iOS (CgBI), a nie zwykły PNG"
    ),
  ]
}
