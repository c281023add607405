using System.Text.Encodings.Web;
using BulkLoad.Bench;

namespace BulkLoad.Cli.Output;

/// <summary>Figures as a page: one file that loads nothing, with a chart and a table for each group.</summary>
internal static class BenchHtml
{
    private const string Style = """
        :root { color-scheme: light dark; --back: #fcfcfa; --card: #ffffff; --text: #1d2330; --quiet: #667085; --line: #e3e6ea; --bar: #9cc3e6; --strong: #1f5f99;
          --s0: #1f6fb4; --s1: #c8550b; --s2: #1a8f64; --s3: #a8327d; --s4: #a07c00; --s5: #5b52c7; --s6: #b3262e; --s7: #4b5563; }
        @media (prefers-color-scheme: dark) { :root { --back: #14171c; --card: #1b1f26; --text: #e6e9ee; --quiet: #98a2b3; --line: #2d333d; --bar: #2f5f8c; --strong: #8cc4f5;
          --s0: #6cb2f0; --s1: #f29a56; --s2: #53c99b; --s3: #e27dbf; --s4: #d9b93c; --s5: #a49cf5; --s6: #f27d83; --s7: #aab4c2; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
        main { max-width: 960px; margin: 0 auto; padding: 32px 20px 64px; }
        h1 { font-size: 26px; margin: 0 0 2px; letter-spacing: -0.01em; }
        h2 { font-size: 19px; margin: 40px 0 4px; }
        h3 { font-size: 15px; margin: 0 0 10px; }
        p.quiet, .quiet { color: var(--quiet); margin: 0 0 12px; }
        dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 2px 24px; margin: 16px 0 0; font-size: 13px; }
        dl div { display: flex; gap: 8px; border-bottom: 1px solid var(--line); padding: 3px 0; }
        dt { color: var(--quiet); } dd { margin: 0 0 0 auto; text-align: right; overflow-wrap: anywhere; }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin: 14px 0; }
        svg { width: 100%; height: auto; display: block; font-size: 12px; }
        svg text { fill: var(--text); } svg .tick, svg .axis { fill: var(--quiet); }
        .grid { stroke: var(--line); stroke-width: 1; }
        .bar { fill: var(--bar); } .box { fill: var(--strong); opacity: .75; } .whisker { stroke: var(--strong); stroke-width: 1.5; } .dot { fill: var(--strong); }
        .value { font-weight: 600; font-variant-numeric: tabular-nums; }
        .curve { fill: none; stroke-width: 2; stroke-linejoin: round; } .spread { stroke-width: 1.5; opacity: .55; } .leader { stroke-width: 1; opacity: .5; }
        .best { fill: none; stroke-width: 2; } .point { stroke: none; } svg text.label { font-weight: 600; }
        details { margin-top: 10px; } summary { cursor: pointer; color: var(--quiet); font-size: 13px; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; font-size: 13px; width: 100%; margin-top: 8px; font-variant-numeric: tabular-nums; }
        th, td { padding: 4px 8px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
        th { color: var(--quiet); font-weight: 500; } th:first-child, td:first-child, td:last-child { text-align: left; }
        td:last-child { color: var(--quiet); white-space: normal; }
        ul { padding-left: 20px; } footer { color: var(--quiet); font-size: 13px; margin-top: 40px; }
        """;

    public static void Write(Stream to, BenchReport report)
    {
        using var html = new StreamWriter(to, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true) { NewLine = "\n" };
        var server = report.Server is { } found ? $"{found.Kind} {found.Version}" : "no server";
        html.WriteLine("<!DOCTYPE html>");
        html.WriteLine(
            "<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        html.WriteLine($"<title>{Encode($"bulkload bench {report.Bench}: {server}")}</title>");
        html.WriteLine($"<style>\n{Style.ReplaceLineEndings("\n")}\n{Colours()}</style></head><body><main>");
        html.WriteLine($"<h1>bulkload bench {Encode(report.Bench)}</h1>");
        html.WriteLine($"<p class=\"quiet\">{Encode(server)}, {report.Started.UtcDateTime.ToString("yyyy-MM-dd HH:mm")} UTC, "
            + $"{Encode(BenchText.Outcome(report))} after {Encode(Amounts.Duration(report.Elapsed))}</p>");
        WriteFacts(html, report);
        foreach (var section in report.Sections)
        {
            Write(html, section);
        }

        if (report.Failure is not null || report.Notes.Count > 0)
        {
            html.WriteLine("<h2>Notes</h2><ul>");
            foreach (var note in report.Failure is { } failure ? [failure.Message, .. report.Notes] : report.Notes)
            {
                html.WriteLine($"<li>{Encode(note)}</li>");
            }

            html.WriteLine("</ul>");
        }

        html.WriteLine($"<footer>bulkload {Encode(ThisProgram.Version)}. Bars and points are medians, boxes go from the first to the "
            + "third quartile, lines from the least to the greatest.</footer>");
        html.WriteLine("</main></body></html>");
    }

    private static void WriteFacts(StreamWriter html, BenchReport report)
    {
        IEnumerable<KeyValuePair<string, string>> facts = report.Settings;
        if (report.Server is { } server)
        {
            facts = facts.Prepend(new("server", $"{server.Endpoint}, {server.Security}"));
        }

        html.WriteLine(
            $"<dl>{string.Concat(facts.Select(fact => $"<div><dt>{Encode(fact.Key)}</dt><dd>{Encode(fact.Value)}</dd></div>"))}</dl>");
    }

    private static void Write(StreamWriter html, BenchSection section)
    {
        html.WriteLine($"<h2>{Encode(section.Title)}</h2>");
        if (BenchFormat.Legend(section) is { Length: > 0 } legend)
        {
            html.WriteLine($"<p class=\"quiet\">{Encode(legend)}</p>");
        }

        foreach (var group in BenchFormat.Groups(section))
        {
            BenchMeasure[] measures = [.. group];
            html.WriteLine("<div class=\"card\">");
            if (group.Key.Length > 0)
            {
                html.WriteLine($"<h3>{Encode(group.Key)}</h3>");
            }

            html.WriteLine(
                section.XName is { } xName ? BenchChart.Curves(section.Unit, xName, measures) : BenchChart.Bars(section.Unit, measures));
            html.WriteLine("<details><summary>all figures</summary><div class=\"scroll\"><table>");
            var table = BenchFormat.Table(section, measures);
            html.WriteLine($"<tr>{string.Concat(table[0].Select(cell => $"<th>{Encode(cell)}</th>"))}</tr>");
            foreach (var row in table.Skip(1))
            {
                html.WriteLine($"<tr>{string.Concat(row.Select(cell => $"<td>{Encode(cell)}</td>"))}</tr>");
            }

            html.WriteLine("</table></div></details></div>");
        }
    }

    /// <summary>A series' colour is a line's stroke, and the fill of a point and a text.</summary>
    private static string Colours() =>
        string.Concat(Enumerable.Range(0, BenchChart.Colours)
            .Select(i => $".curve.s{i}, .spread.s{i}, .leader.s{i}, .best.s{i} {{ stroke: var(--s{i}); }} .point.s{i}, svg "
                + $"text.label.s{i} {{ fill: var(--s{i}); }}\n"));

    private static string Encode(string text) => HtmlEncoder.Default.Encode(text);
}
