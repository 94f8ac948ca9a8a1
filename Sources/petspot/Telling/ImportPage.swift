import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion

/// The report as one page that needs nothing else: totals, a contact sheet, and what was not taken.
///
/// It is written from top to bottom in one go; the totals, known last, are moved to the top by the
/// style sheet. Every name is escaped, and a policy in the page forbids it to load anything.
enum ImportPage {
  /// Pictures on the contact sheet; each takes about 15 KB.
  static let mostPreviews = 600

  static let head = """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <title>PetSpot import</title>
    <style>
    body{display:flex;flex-direction:column;font:16px/1.5 system-ui,sans-serif;margin:2rem auto;\
    max-width:72rem;padding:0 1rem;color:#1a1a1a;background:#fff}
    #totals{order:-1}
    dl{display:flex;flex-wrap:wrap;gap:1rem 2rem;margin:0}dt{color:#555}dd{margin:0;font-size:1.6rem}
    #sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.75rem}
    figure{margin:0}figure img{width:100%;height:9rem;object-fit:contain;background:#f2f2f2}
    figcaption{font-size:.8rem;overflow-wrap:anywhere}
    table{border-collapse:collapse;width:100%}
    th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid #ddd;overflow-wrap:anywhere}
    th:first-child,td:first-child{overflow-wrap:normal;white-space:nowrap}
    input{font:inherit;padding:.3rem .5rem;width:100%;max-width:30rem}
    a{color:inherit}
    @media(prefers-color-scheme:dark){body{color:#eee;background:#161616}dt{color:#aaa}\
    figure img{background:#222}th,td{border-color:#333}}
    </style></head><body>
    <section><h2>New photos</h2><div id="sheet">

    """

  static func figure(_ photo: PhotoAttachmentMetadata, preview: [UInt8]) -> String {
    let name = escaped(DisplayText.name(photo.fileName))
    let data = Data(preview).base64EncodedString()
    return """
      <figure><img loading="lazy" alt="" src="data:\(photo.preview.format.mime);base64,\(data)">\
      <figcaption>\(name)<br>\(Words.dimensions(photo.pixelWidth, photo.pixelHeight))</figcaption>\
      </figure>

      """
  }

  static func middle(hidden: Int) -> String {
    let more = hidden > 0 ? "<p>and \(Words.number(hidden)) more</p>" : ""
    return """
      </div>\(more)</section>
      <section id="refused"><h2>Skipped, failed, originals kept</h2>
      <p><label>Filter: <input id="filter" type="search"></label></p>
      <table><thead><tr><th>Outcome<th>Code<th>File<th>Why</tr></thead><tbody id="rows">

      """
  }

  static func row(_ file: ImportedFile) -> String {
    guard let refusal = file.outcome.refusal else {
      guard let kept = file.sourceKept else { return "" }
      return "<tr><td>original kept<td>\(escaped(kept.code))"
        + "<td>\(escaped(DisplayText.exact(file.path)))<td>\(escaped(kept.words))</tr>\n"
    }
    let code = [refusal.code, refusal.detected].compactMap { $0 }.joined(separator: ": ")
    return "<tr><td>\(file.outcome.word)<td>\(escaped(ReadableText.escaped(code)))"
      + "<td>\(escaped(DisplayText.exact(file.path)))"
      + "<td>\(escaped(refusal.sentence(about: file.path)))</tr>\n"
  }

  static func tail(_ summary: ImportSummary) -> String {
    let totals = [
      ("Files", summary.files), ("Imported", summary.imported),
      ("Duplicates", summary.duplicates), ("Unchanged", summary.unchanged),
      ("Skipped", summary.skipped), ("Failed", summary.failed),
    ].map { "<div><dt>\($0.0)</dt><dd>\(Words.number($0.1))</dd></div>" }.joined()
    return """
      </tbody></table></section>
      <section id="totals"><h1>PetSpot import</h1><dl>\(totals)</dl>
      <p>\(escaped(summary.sentence))</p>
      <p><a href="#sheet">New photos</a> · <a href="#refused">Skipped and failed</a></p></section>
      <script>
      const rows=[...document.querySelectorAll('#rows tr')];
      document.getElementById('filter').addEventListener('input',event=>{
      const words=event.target.value.toLowerCase().split(/\\s+/);
      for(const row of rows){const text=row.textContent.toLowerCase();
      row.hidden=!words.every(word=>text.includes(word))}});
      </script></body></html>

      """
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
