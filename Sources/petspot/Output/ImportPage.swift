import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The report as one page that needs nothing else: for each run its folders, date, command and totals,
/// a contact sheet, duplicates beside what they equal, and what was not taken.
///
/// It is written from top to bottom in one go; the totals, known last, are moved to the top by the
/// style sheet. Every name is escaped, and a policy in the page forbids it to load anything.
enum ImportPage {
  /// Pictures on the contact sheet; each takes about 15 KB.
  static let maxPreviews = 600
  /// Pairs of duplicates that are shown with pictures.
  static let maxPairs = 200
  /// Where runs begin and end, so that a page that is written again keeps those of before.
  static let runsBegin = "<!--petspot-import-runs-->\n"
  static let runsEnd = "<!--/petspot-import-runs-->\n"

  /// The page up to its first run.
  static var head: String {
    """
    <!doctype html>
    <html lang="\(L10n.words.language.rawValue)"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <title>\(title)</title>
    <style>
    body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;\
    max-width:72rem;padding:0 1rem;color:#1a1a1a;background:#fff}
    .run{display:flex;flex-direction:column;border-bottom:3px solid #ddd;padding-bottom:2rem}
    .totals{order:-1}
    dl{display:flex;flex-wrap:wrap;gap:1rem 2rem;margin:0}dt{color:#555}dd{margin:0;font-size:1.6rem}
    .sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.75rem}
    .pair{display:grid;grid-template-columns:1fr 1fr;gap:.75rem;border-top:1px solid #ddd;\
    padding:.5rem 0}
    figure{margin:0}figure img{width:100%;height:9rem;object-fit:contain;background:#f2f2f2}
    figcaption{font-size:.8rem;overflow-wrap:anywhere}
    code{overflow-wrap:anywhere}
    table{border-collapse:collapse;width:100%}
    th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid #ddd;overflow-wrap:anywhere}
    th:first-child,td:first-child{overflow-wrap:normal;white-space:nowrap}
    input{font:inherit;padding:.3rem .5rem;width:100%;max-width:30rem}
    @media(prefers-color-scheme:dark){body{color:#eee;background:#161616}dt{color:#aaa}\
    figure img{background:#222}th,td,.pair,.run{border-color:#333}}
    </style></head><body>
    <h1>\(title)</h1>
    <p><label>\(L10n.words("import.page.filter")) \
    <input id="filter" type="search"></label></p>

    """ + runsBegin
  }

  private static var title: String { L10n.words("import.page.title") }

  /// The beginning of a run, up to its new photos.
  static func runBegin(dryRun: Bool) -> String {
    let heading =
      dryRun
      ? L10n.words("import.page.wouldBeNew")
      : L10n.words("import.page.new")
    return """
      <article class="run"><section><h3>\(heading)</h3><div class="sheet">

      """
  }

  /// A photo of the contact sheet; without a picture where there is none.
  static func figure(_ name: String, _ note: String, preview: String?) -> String {
    let picture = preview.map { "<img loading=\"lazy\" alt=\"\" src=\"\($0)\">" } ?? ""
    return """
      <figure>\(picture)<figcaption>\(name.escapedForHTML)<br>\(note.escapedForHTML)</figcaption></figure>

      """
  }

  /// A picture as it stands in a page.
  static func source(_ photo: PhotoAttachmentMetadata, _ preview: [UInt8]) -> String {
    "data:\(photo.preview.format.mime);base64,\(Data(preview).base64EncodedString())"
  }

  /// A duplicate beside the file whose picture is stored.
  static func pair(
    _ original: String, _ duplicate: String, _ why: String, preview: String?
  ) -> String {
    let kept = L10n.words("import.page.stored")
    return "<div class=\"pair\">" + figure(original, kept, preview: preview)
      + figure(duplicate, why, preview: preview) + "</div>\n"
  }

  /// What comes between the contact sheet and the pairs.
  static func beforePairs(hidden: Int) -> String {
    let count = Amounts.number(hidden)
    let more =
      hidden > 0
      ? "<p>" + L10n.words("import.page.more", ["count": count]) + "</p>" : ""
    return """
      </div>\(more)</section>
      <section><h3>\(L10n.words("import.page.duplicates"))</h3>

      """
  }

  /// What comes between the pairs and the rows.
  static var beforeRows: String {
    let columns = L10n.list("import.page.columns")
    let heading = L10n.words("import.page.rest")
    return """
      </section>
      <section><h3>\(heading)</h3>
      <table><thead><tr><th>\(columns.joined(separator: "<th>"))</tr></thead><tbody>

      """
  }

  static func row(_ file: ImportedFile, dryRun: Bool) -> String {
    let cells: [String]
    if case .skipped(.sidecar) = file.outcome { return "" }
    if let refusal = file.outcome.refusal {
      let code = [refusal.code, refusal.detected].compactMap { $0 }.joined(separator: ": ")
      cells = [
        ImportFormatter.word(file.outcome, dryRun: dryRun), ReadableText.escaped(code),
        DisplayText.exact(file.path), refusal.sentence(about: file.path),
      ]
    } else if let kept = file.sourceKept {
      let word = L10n.words("import.page.originalKept")
      cells = [word, kept.code, DisplayText.exact(file.path), kept.words]
    } else {
      return ""
    }
    return "<tr><td>" + cells.map(\.escapedForHTML).joined(separator: "<td>") + "</tr>\n"
  }

  /// The end of a run, with what stands at its top.
  static func runEnd(
    _ summary: ImportSummary, _ formatter: ImportFormatter, _ heading: ImportHeading
  ) -> String {
    let names = L10n.list("import.page.totals")
    let numbers = [
      summary.files, summary.imported, summary.duplicates, summary.unchanged, summary.skipped,
      summary.failed,
    ]
    let totals = zip(names, numbers).map {
      "<div><dt>\($0)</dt><dd>\(Amounts.number($1))</dd></div>"
    }.joined()
    let stopped = summary.stopped.map { _ in
      L10n.words("import.page.endedEarly")
    }
    let folders = heading.folders.map { "<code>\($0.escapedForHTML)</code>" }
      .joined(separator: ", ")
    return """
      </tbody></table></section>
      <section class="totals"><h2>\(heading.date.escapedForHTML)</h2>
      <p>\(L10n.words("import.page.from")) \(folders)<br><code>\(heading.command.escapedForHTML)</code></p>
      <dl>\(totals)</dl>
      <p>\((summary.sentence(formatter) + (stopped ?? "")).escapedForHTML)</p></section></article>

      """
  }

  static let tail =
    runsEnd + """
      <script>
      const parts=[...document.querySelectorAll('tbody tr,.pair')];
      document.getElementById('filter').addEventListener('input',event=>{
      const words=event.target.value.toLowerCase().split(/\\s+/);
      for(const part of parts){const text=part.textContent.toLowerCase();
      part.hidden=!words.every(word=>text.includes(word));
      part.style.display=part.hidden?'none':''}});
      </script></body></html>

      """
}

/// What stands at the top of a run in a report.
struct ImportHeading {
  /// What was imported, as it was given.
  var folders: [String]
  /// The command, as a shell takes it.
  var command: String
  /// When it began.
  var date: String

  /// The same for programs.
  var json: JSON {
    ["date": .string(date), "command": .string(command), "folders": .strings(folders)]
  }
}
