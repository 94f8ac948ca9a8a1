import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The report as a page: for each run its folders, date, command and totals, then what failed, what was
/// skipped by kind, duplicates beside what they equal, and the new photos.
///
/// Pictures are files in a folder beside it, so that the page stays small and opens from a stick. Its
/// parts grow while the import runs, and are joined at its end. Every name is escaped, and a policy in the
/// page forbids it to load anything else.
enum ImportPage {
  /// Pictures of photos, and of duplicates, each a file of about 15 KB.
  static let maxPreviews = 3000
  /// Where runs begin and end, so that a page that is written again keeps those of before.
  static let runsBegin = "<!--petspot-import-runs-->\n"
  static let runsEnd = "<!--/petspot-import-runs-->\n"

  /// The page up to its first run.
  static var head: String {
    """
    <!doctype html>
    <html lang="\(L10n.words.language.rawValue)"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file: data:; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <title>\(title)</title>
    <style>
    body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;\
    max-width:72rem;padding:0 1rem;color:#1a1a1a;background:#fff}
    .run{border-bottom:3px solid #ddd;padding-bottom:2rem}
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
    summary{cursor:pointer;padding:.3rem 0}@media print{input,label{display:none}}
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

  /// A photo; without a picture where there is none.
  static func figure(_ lines: [String], picture: String?) -> String {
    let image = picture.map { "<img loading=\"lazy\" alt=\"\" src=\"\($0.escapedForHTML)\">" } ?? ""
    let caption = lines.map(\.escapedForHTML).joined(separator: "<br>")
    return "<figure>\(image)<figcaption>\(caption)</figcaption></figure>\n"
  }

  /// A duplicate beside the file whose picture is stored.
  static func pair(
    _ original: String, _ duplicate: String, _ why: String, picture: String?
  ) -> String {
    "<div class=\"pair\">" + figure([original, L10n.words("import.page.stored")], picture: picture)
      + figure([duplicate, why], picture: picture) + "</div>\n"
  }

  /// The row of a file that was not taken, or whose original stays.
  static func row(_ file: ImportedFile) -> String? {
    let cells: [String]
    if let refusal = file.outcome.refusal {
      let code = [refusal.code, refusal.detected].compactMap { $0 }.joined(separator: ": ")
      cells = [
        DisplayText.exact(file.path), refusal.sentence(about: file.path),
        ReadableText.escaped(code),
      ]
    } else if let kept = file.sourceKept {
      cells = [DisplayText.exact(file.path), kept.words, kept.code]
    } else {
      return nil
    }
    return "<tr><td>" + cells.map(\.escapedForHTML).joined(separator: "<td>") + "</tr>\n"
  }

  /// What comes before a section's content, and behind it.
  static func section(_ title: TextKey, _ count: Int) -> (begin: String, end: String) {
    let heading = "\(L10n.words(title)) (\(Amounts.number(count)))"
    return ("<section><h3>\(heading)</h3>\n", "</section>\n")
  }

  /// What comes before the rows of a table, and behind them.
  static var table: (begin: String, end: String) {
    let columns = L10n.list("import.page.columns").joined(separator: "<th>")
    return (
      "<table><thead><tr><th>\(columns)</tr></thead><tbody>\n", "</tbody></table>\n"
    )
  }

  /// The line of files of one kind, which opens their table.
  static func kind(_ cause: String, _ count: Int) -> String {
    "<details><summary>\(Amounts.number(count)) × \(cause.escapedForHTML)</summary>\n"
  }

  /// The beginning of a run: its date, folders, command and totals.
  static func runBegin(
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
      <article class="run"><section><h2>\(heading.date.escapedForHTML)</h2>
      <p>\(L10n.words("import.page.from")) \(folders)<br><code>\(heading.command.escapedForHTML)</code></p>
      <dl>\(totals)</dl>
      <p>\((summary.sentence(formatter) + (stopped ?? "")).escapedForHTML)</p></section>

      """
  }

  static let tail =
    runsEnd + """
      <script>
      const parts=[...document.querySelectorAll('tbody tr,.pair,.sheet figure')];
      document.getElementById('filter').addEventListener('input',event=>{
      const words=event.target.value.toLowerCase().split(/\\s+/);
      for(const part of parts){const text=part.textContent.toLowerCase();
      part.hidden=!words.every(word=>text.includes(word));
      part.style.display=part.hidden?'none':''}
      for(const list of document.querySelectorAll('details'))list.open=!!event.target.value});
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
