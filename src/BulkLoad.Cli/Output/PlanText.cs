using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>A plan for people: what would be done, and why.</summary>
internal static class PlanText
{
    /// <summary>Beginnings of notes that say that nothing of the plan would be done.</summary>
    private static readonly string[] News = ["nothing to do", "this run would be refused"];

    /// <param name="isLong">with every strategy, and the sizes of batches and chunks</param>
    public static void Write(TextWriter to, LoadPlan plan, bool isLong)
    {
        var into = plan switch
        {
            { Mode.JudgesOnly: true } => "against",
            { Kind: JobKind.Update } => "of rows in", { Kind: JobKind.Delete } => "from",
            _ => "into"
        };
        var news = plan.Notes.FirstOrDefault(note => News.Any(start => note.StartsWith(start, StringComparison.Ordinal)));
        if (news is not null)
        {
            to.WriteLine(news);
            to.WriteLine();
        }

        to.WriteLine(
            $"{plan.Command} {into} {plan.Table} on {ReportText.ServerText(plan.Server)} as {plan.Server.User}{ReportText.By(plan)}");
        if (plan.Server.Topology is { } topology)
        {
            to.WriteLine($"connected to: {topology.Text}");
        }

        Section(to, "notes", plan.Notes.Where(note => note != news));
        var more = plan.Sources.Skip(Plural.Shown).ToList();
        Section(to, "input", plan.Sources.Take(Plural.Shown).Select(Source).Concat(more.Count == 0 ? []
            : [$"and {Amounts.Count(more.Count, "more file")}, {Amounts.Bytes(more.Sum(source => source.Bytes ?? 0))}"]));
        Section(to, "new table", NewColumns(plan.NewTable?.Columns, "; --create=exact takes the narrower ones"));
        Section(to, "new columns", NewColumns(plan.AddedColumns?.Columns, ""));
        Section(to, "columns", Aligned(plan.Columns.Select(Column)));
        if (isLong)
        {
            Section(to, "strategies", Aligned(
                plan.Verdicts.Select(verdict => new[] { Mark(plan, verdict), verdict.Strategy, Estimate(verdict), verdict.Reason })));
            Section(to, "sizes", Sizes(plan.Sizes));
        }

        var chosen = plan.Verdicts.FirstOrDefault(verdict => verdict.Strategy == plan.Strategy);
        Section(to, "running", Aligned(
        [
            .. isLong || chosen is null ? Array.Empty<string[]>() : [["strategy", $"{chosen.Strategy}: {chosen.Reason}"]],
            ["sessions", plan.SessionsReason.Length == 0
                ? Amounts.Count(plan.Sessions)
                : $"{Amounts.Count(plan.Sessions)}: {plan.SessionsReason}"],
            .. plan.Readers is not { } readers
                ? Array.Empty<string[]>()
                : [["readers", $"{Amounts.Count(readers.Count)}: {readers.Reason}"]],
            .. plan.Order is null
                ? Array.Empty<string[]>()
                : [["order", plan.Order.SortedBy is { } sorted
                    ? $"sorted by {sorted}: {plan.Order.Reason}"
                    : $"the input's: {plan.Order.Reason}"]],
            .. plan.Profile is null ? Array.Empty<string[]>() : [["profile", Profile(plan.Profile)]],
            ["transactions", plan.Transactions],
            .. plan.Key.Count == 0 ? Array.Empty<string[]>() : [["key", string.Join(", ", plan.Key)]],
            .. plan.OnDuplicate == DuplicateMode.Error ? Array.Empty<string[]>() : [["duplicates", DuplicateModes.Of(plan.OnDuplicate)]],
            ["time zone", plan.TimeZone],
            .. plan.Verification is null ? Array.Empty<string[]>() : [["verify", Verification(plan.Verification)]],
        ]));
        Section(to, "indexes", Aligned(
        [
            .. (plan.Rebuild?.Dropped ?? []).Select(definition => new[] { "dropped and added again", definition }),
            .. (plan.Rebuild?.Kept ?? []).Select(index => new[] { "kept", $"{index.Name}: {index.Reason}" }),
            .. (plan.Rebuild?.Notes ?? []).Select(note => new[] { "to know", note }),
        ]));
        Section(to, "sql", plan.Sql);
        if (!isLong && chosen is not null)
        {
            to.WriteLine();
            to.WriteLine("--plan --verbose adds the other strategies, and the sizes of batches and chunks");
        }
    }

    private static void Section(TextWriter to, string heading, IEnumerable<string> lines)
    {
        var isEmpty = true;
        foreach (var line in lines)
        {
            if (isEmpty)
            {
                to.WriteLine();
                to.WriteLine(heading);
                isEmpty = false;
            }

            to.WriteLine($"  {line.ReplaceLineEndings("\n    ")}");
        }
    }

    /// <summary><paramref name="exact"/>: how to get the narrowest types, behind the line that says that they have room for more.</summary>
    private static IEnumerable<string> NewColumns(IReadOnlyList<PlannedType>? columns, string exact)
    {
        var lines = Aligned((columns ?? []).Select(column => new[]
        {
            column.Column, column.Type, column.IsNullable ? "null" : "not null",
            $"{column.Reason}{(column.Narrowest != column.Type ? $"; {column.Narrowest} would do" : "")}",
        }));
        return (columns ?? []).Any(column => column.Narrowest != column.Type)
            ? lines.Append($"the types have room for larger values{exact}")
            : lines;
    }

    private static string Source(PlannedSource source)
    {
        var size = source.Bytes is { } bytes ? $", {Amounts.Bytes(bytes)}" : "";
        var records = source.EstimatedRecords is { } count ? $", about {Amounts.Count(count, "record")}" : "";
        var compression = source.Compression == "none" ? "" : $", {source.Compression}";
        var part = source.Part is { } one
            ? $", part {one.Number}/{one.Count}: bytes {one.From:N0} to {one.To:N0} of {one.FileBytes:N0}" : "";
        return $"{ReportText.FileName(source.Name)}: {source.Format}{compression}, {source.Encoding}{part}{size}{records}";
    }

    private static List<string> Sizes(IReadOnlyList<PlannedSize> sizes)
    {
        var width = sizes.Select(size => Amounts.Count(size.Value).Length).DefaultIfEmpty().Max();
        return Aligned(sizes.Select(size => new[] { size.Name, Amounts.Count(size.Value).PadLeft(width), size.SetBy }));
    }

    private static string Verification(PlannedVerification verification)
    {
        var how = VerifyModes.Of(verification.Mode);
        var passed = verification.Passed.Count == 0 ? "" : $", but not of {string.Join(", ", verification.Passed)}";
        return verification.Unverifiable is { } reason ? $"{how}, but nothing can be: {reason}"
            : $"{how} of {string.Join(", ", verification.Columns)}{passed}, in the rows that are found by "
                + $"{string.Join(", ", verification.Key)}";
    }

    private static string Profile(PlannedProfile profile)
    {
        var what = profile.Decides.Count == 0 ? "has nothing that applies here" : $"decides {string.Join(", ", profile.Decides)}";
        return $"{profile.Name}, measured on {profile.Measured.UtcDateTime:yyyy-MM-dd HH:mm} UTC: {what}";
    }

    private static string Mark(LoadPlan plan, Verdict verdict) =>
        verdict.Strategy == plan.Strategy ? "chosen" : verdict.IsFit ? "fit" : "unfit";

    private static string Estimate(Verdict verdict) => verdict.EstimatedSeconds is { } seconds
        ? $"about {Amounts.Duration(TimeSpan.FromSeconds(seconds))}"
        : "";

    private static string[] Column(PlannedColumn column)
    {
        var from = column.Field ?? $"= {column.Expression}";
        return column.Column is null ? [from, "-> skipped"] : [from, $"-> {column.Column}", column.Type ?? ""];
    }

    /// <summary>Columns as wide as their widest cell; a row's last cell needs no room behind it.</summary>
    internal static List<string> Aligned(IEnumerable<string[]> rows)
    {
        var all = rows.ToList();
        var widths = Enumerable.Range(0, all.Count == 0 ? 0 : all.Max(row => row.Length))
            .Select(column => all.Max(row => column < row.Length - 1 ? TextWidth.Of(row[column]) : 0))
            .ToArray();
        return [.. all.Select(row => string.Join("  ", row.Select((cell, column) => TextWidth.PadRight(cell, widths[column]))).TrimEnd())];
    }
}
