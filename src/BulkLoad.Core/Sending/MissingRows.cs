using System.Text.RegularExpressions;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging;
using static BulkLoad.Core.Common.ServerError;

namespace BulkLoad.Core.Sending;

/// <summary>Decides about records that could not find their row, or not change it: of a delete, an earlier record with the same key
/// replaces them. To find these, it reads the inputs again when it is first asked. Of an update the later record counts, which is known
/// before (<see cref="SupersededRecords"/>).</summary>
/// <param name="sources">can be read several times</param>
/// <param name="connect">opens another session, if the server has to compare keys</param>
/// <param name="within">runs the reading of the inputs, within the job's time limit</param>
internal sealed class MissingRows(
    IReadOnlyList<LoadSource> sources, LoadFacts facts, BatchSizes sizes, Func<CancellationToken, Task<IServerSession>> connect,
    Func<Func<CancellationToken, Task<RepeatedKeys?>>, CancellationToken, Task<RepeatedKeys?>> within) : IDisposable
{
    /// <summary>The code of a record whose key no row has.</summary>
    public const string NotFoundCode = "not-found";

    private readonly bool _firstCounts = facts.Request.Kind == JobKind.Delete;
    private RepeatedKeys? _repeated;

    /// <summary>Whether a record without a row is only counted.</summary>
    public bool AreIgnored => facts.Request.Key.IgnoreMissing;

    /// <summary>A note on the counts, for people; null: none.</summary>
    public string? Note { get; private set; }

    /// <summary>Whether an earlier record has the row's key. Asked in the input's order; in sorted inputs such records are known and not
    /// sent.</summary>
    public async ValueTask<bool> IsSupersededAsync(RowBlock block, int row, CancellationToken cancellationToken) =>
        _firstCounts && !block.IsSorted
            && (_repeated ??= (await within(FindAsync, cancellationToken))!).Has(RecordId.Of(block.Source, block.Record(row)));

    public Reject Describe(RowBlock block, int row)
    {
        var where = facts.Request.Key.Where is null ? "" : " that --where lets pass";
        return RejectOfRow.At(
            sources, block, row, NotFoundCode, $"{Show(block, row)} is the key of no row of {facts.Table.DisplayName}{where}",
            facts.Key!.Columns is [var only] ? only.Name : null);
    }

    /// <summary>Records will be asked for again.</summary>
    public void Rewind()
    {
        _repeated?.Dispose();
        _repeated = null;
    }

    public void Dispose() => _repeated?.Dispose();

    private string Show(RowBlock block, int row) => string.Join(", ", Enumerable.Range(0, facts.KeyCount).Select(column =>
    {
        block.Get(row, column, out var value);
        return FieldText.Show(value, facts.Key!.Columns[column].IsBinary);
    }));

    private async Task<RepeatedKeys?> FindAsync(CancellationToken cancellationToken)
    {
        var key = ComparedKey.OfFound(facts);
        if (await KeyWatch.AreDistinctAsync(key, new InputReader(sources, facts, sizes).ReadAsync(cancellationToken)))
        {
            return RepeatedKeys.None(facts.Request.TempFolder);
        }

        var reading = new InputReader(sources, facts, sizes);
        if (!key.IsExact)
        {
            try
            {
                await using var session = await connect(cancellationToken);
                return await StagedKeys.FindAsync(session, facts, reading, lastCounts: false, cancellationToken);
            }
            catch (ServerException fault) when (fault.Kind == FaultKind.Configuration)
            {
                Note = $"keys that are equal only to the column, such as in another letter case, count as not found where they are "
                    + $"farther apart than a batch: the server would not compare them in a temporary table ({fault.Message})";
            }
        }

        using var collector = new KeyCollector(
            [key], facts.Request.TempFolder, MemoryPlan.ForSorting(facts.Request, MemoryPlan.KeySortBytes));
        await collector.AddAsync(reading.ReadAsync(cancellationToken));
        return collector.FindRepeated(lastCounts: false);
    }
}

/// <summary>Makes a reject of a row that only the server refused.</summary>
internal static partial class ServerRejects
{
    public static Reject Of(IReadOnlyList<LoadSource> sources, RowBlock block, int row, BatchRefusal refusal)
    {
        var (message, column) = refusal.Error is RowIsReferenced2 or NoReferencedRow2
            && Reference().Match(refusal.Message) is { Success: true } reference
            ? OfReference(sources, block, row, refusal.Error, reference.Groups)
            : (RowNumber().Replace(refusal.Message, _ => ""),
                ColumnIn().Match(refusal.Message) is { Success: true } match ? match.Groups[1].Value : null);
        return RejectOfRow.At(sources, block, row, CodeOf(refusal.Error), message, column) with { ServerCode = refusal.Code };
    }

    /// <summary>A foreign key: which row is missing, or refers to this one.</summary>
    private static (string Message, string? Column) OfReference(
        IReadOnlyList<LoadSource> sources, RowBlock block, int row, ServerError error, GroupCollection found)
    {
        var (child, parent) = (found["child"].Value, found["parent"].Value.Split("`.`")[^1]);
        var (from, to) = (Names(found["from"].Value), Names(found["to"].Value));
        if (error == RowIsReferenced2)
        {
            return ($"rows of {child} refer to this row ({string.Join(", ", from)}, foreign key '{found["name"].Value}')", null);
        }

        var columns = sources[block.Source].Mapping.Columns;
        var values = from.Select(name =>
        {
            var place = columns.ToList().FindIndex(column => column.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
            return place >= 0 && block.Get(row, place, out var value) == CellState.Value
                ? FieldText.Show(value, columns[place].IsBinary) : null;
        }).ToList();
        return (
            values.Contains(null)
                ? $"{parent} has no row for its {string.Join(", ", from)}"
                : $"{parent} has no row with {string.Join(" and ", to.Zip(values, (name, value) => $"{name} {value}"))}",
            from is [var only] ? only : null);
    }

    private static string[] Names(string list) => [.. list.Split(',').Select(name => name.Trim(' ', '`'))];

    private static string CodeOf(ServerError error) => error switch
    {
        DupKey or DupEntry or DupUnique or DupEntryWithKeyName => "duplicate-key",
        NoReferencedRow or RowIsReferenced or RowIsReferenced2 or NoReferencedRow2 or FkDepthExceeded or ForeignKeyFailed => "foreign-key",
        CheckConstraintViolated or ConstraintFailed => "check-constraint",
        BadNull or NoDefaultForField => "null-not-allowed",
        SignalException => "trigger-signal",
        _ => "refused-by-server",
    };

    /// <summary>The row's number in the batch: useless for the user, and a row that is sent alone is always the first.</summary>
    [GeneratedRegex(@" at row \d+", RegexOptions.CultureInvariant)]
    private static partial Regex RowNumber();

    [GeneratedRegex(
        @"\((`[^`]+`\.)?`(?<child>[^`]+)`, CONSTRAINT `(?<name>[^`]+)` FOREIGN KEY \((?<from>`[^)]+)\) "
            + @"REFERENCES `(?<parent>.+?)` \((?<to>`[^)]+)\)",
        RegexOptions.CultureInvariant)]
    private static partial Regex Reference();

    [GeneratedRegex("for column '([^']+)'", RegexOptions.CultureInvariant)]
    private static partial Regex ColumnIn();
}

/// <summary>Makes a reject of an encoded row: with its record's place in the input, and its bytes there. For an input without lines, a
/// block keeps only the record's number.</summary>
internal static class RejectOfRow
{
    public static Reject At(
        IReadOnlyList<LoadSource> sources, RowBlock block, int row, string code, string message, string? column = null)
    {
        var origin = block.Origin(row);
        var place = new RecordPlace(
            sources[origin.Source].Look.Name, origin.Record, origin.Line, origin.Offset, block.Original(row).ToArray());
        return new Reject(place, code, message, column) with
        {
            SortedPlace = block.IsSorted ? (block.Record(row), block.Offset(row)) : null,
        };
    }

    /// <summary>Adds a reject, and logs the first ones.</summary>
    /// <exception cref="RefusedRecordException">one reject too many</exception>
    public static void Add(this RejectLog rejects, Reject reject, ILogger log)
    {
        if (rejects.First.Count < RejectLog.MaxKept)
        {
            log.Rejected(reject.Describe(), reject.Code);
        }

        rejects.Add(reject);
    }
}
