using System.Buffers;
using System.Security.Cryptography;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending.Verifying;

/// <summary>Compares rows of a block with the rows of the table that have their keys: a question for each list of keys, answered by the
/// number of rows and the sums of their hashes. If those differ, the list is asked for row by row, and of the first rows each
/// column.</summary>
internal sealed class RowComparer(LoadFacts facts)
{
    private const int MaxListBytes = 1 << 20;

    /// <summary>Limit of the rows whose columns are compared one by one, to name one that differs; others are only counted.</summary>
    private const int MaxNamed = 1000;

    private readonly VerifyRules _rules = facts.Verify!;
    private readonly IReadOnlyList<int> _key = facts.Verify!.Key;
    private readonly IReadOnlyList<TableColumn> _columns = facts.Columns;
    private readonly CompareSql _sql = new(
        facts.Table, [.. facts.Verify!.Key.Select(place => facts.Columns[place])], facts.Columns, facts.Tag);
    private readonly RowHash _hash = new(facts.Columns);
    private readonly ArrayBufferWriter<byte> _text = new();
    private readonly int[] _rows = new int[Math.Clamp(facts.MaxVerifiedKeys, 1, VerifyRules.MaxKeys)];
    private readonly long _mostBytes = Math.Min(MaxListBytes, facts.Server.MaxAllowedPacket / 2);
    private int _named;

    private bool IsCount => _rules.Mode == VerifyMode.Count;

    /// <summary>Compares whole rows; names a difference of those that are not equal.</summary>
    public async ValueTask<ComparedRows> CompareAsync(
        IServerSession session, RowBlock block, int from, int count, CancellationToken cancellationToken)
    {
        List<int>? undecided = null;
        List<RowDifference>? differences = null;
        var equal = 0L;
        for (var next = from; next < from + count;)
        {
            var (keys, bytes) = (0, 0L);
            for (; next < from + count && keys < _rows.Length && (keys == 0 || bytes < _mostBytes); next++)
            {
                if (!IsComparable(block, next))
                {
                    (undecided ??= []).Add(next);
                    continue;
                }

                _rows[keys++] = next;
                bytes += KeyBytes(block, next);
            }

            if (keys > 0 && !await AreEqualAsync(session, block, keys, cancellationToken))
            {
                var before = differences?.Count ?? 0;
                await TellApartAsync(session, block, keys, differences ??= [], cancellationToken);
                keys -= differences.Count - before;
            }

            equal += keys;
        }

        return new ComparedRows(equal, undecided ?? (IReadOnlyList<int>)[], differences ?? (IReadOnlyList<RowDifference>)[]);
    }

    /// <summary>False: the server computes a compared value.</summary>
    private bool IsComparable(RowBlock block, int row)
    {
        for (var column = 0; column < _columns.Count; column++)
        {
            var state = block.Get(row, column, out _);
            var isMade = state == CellState.Default || (state == CellState.Null && !_columns[column].IsNullable);
            if ((isMade && !IsCount) || (state != CellState.Value && _key.Contains(column)))
            {
                return false;
            }
        }

        return true;
    }

    private long KeyBytes(RowBlock block, int row)
    {
        var bytes = (long)_sql.KeyOverhead;
        foreach (var column in _key)
        {
            // A literal is at most twice as long as its value.
            block.Get(row, column, out var value);
            bytes += value.Length * 2L;
        }

        return bytes;
    }

    private async ValueTask<bool> AreEqualAsync(IServerSession session, RowBlock block, int keys, CancellationToken cancellationToken)
    {
        _text.ResetWrittenCount();
        if (IsCount)
        {
            _sql.WriteCount(keys, KeyOf(block), _text);
            return (await AskAsync(session, cancellationToken)).Scalar == keys.ToString();
        }

        _sql.WriteSums(keys, KeyOf(block), _text);
        var answer = (await AskAsync(session, cancellationToken)).FirstRow;
        var (first, second) = Sum(block, keys);
        return answer[0] == keys.ToString() && answer[1] == first.ToString() && answer[2] == second.ToString();
    }

    private (UInt128 First, UInt128 Second) Sum(RowBlock block, int keys)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        var (first, second) = (UInt128.Zero, UInt128.Zero);
        for (var i = 0; i < keys; i++)
        {
            _hash.Compute(block, _rows[i], hash);
            var (one, other) = RowHash.Slices(hash);
            (first, second) = (first + one, second + other);
        }

        return (first, second);
    }

    private async ValueTask TellApartAsync(
        IServerSession session, RowBlock block, int keys, List<RowDifference> differences, CancellationToken cancellationToken)
    {
        _text.ResetWrittenCount();
        _sql.WriteRows(keys, KeyOf(block), _text);
        var found = (await AskAsync(session, cancellationToken)).Rows.ToLookup(
            row => int.Parse(row[0]!, CultureInfo.InvariantCulture), row => row[1]);
        for (var i = 0; i < keys; i++)
        {
            var (row, hashes) = (_rows[i], found[i].ToList());
            if (hashes.Count == 0)
            {
                differences.Add(new RowDifference(
                    row, RowDifference.MissingCode, null, $"{facts.Table.OwnName} has no row with {ShowKey(block, row)}"));
            }
            else if (hashes.Count > 1)
            {
                differences.Add(new RowDifference(
                    row, RowDifference.SeveralCode, null, $"{facts.Table.OwnName} has {hashes.Count} rows with {ShowKey(block, row)}"));
            }
            else if (!IsCount && hashes[0] != HashText(block, row))
            {
                differences.Add(await NameAsync(session, block, row, cancellationToken));
            }
        }
    }

    private string HashText(RowBlock block, int row)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        _hash.Compute(block, row, hash);
        return Convert.ToHexStringLower(hash);
    }

    /// <summary>The first column in which a row differs.</summary>
    private async ValueTask<RowDifference> NameAsync(IServerSession session, RowBlock block, int row, CancellationToken cancellationToken)
    {
        if (_named++ < MaxNamed)
        {
            _text.ResetWrittenCount();
            _sql.WriteRow((_, column) => Value(block, row, _key[column]), _text);
            if ((await AskAsync(session, cancellationToken)).Rows is [var found])
            {
                for (var column = 0; column < _columns.Count; column++)
                {
                    if ((found[column * 2] ?? CompareSql.NullForm) != FormText(block, row, column))
                    {
                        var (there, here) = (found[(column * 2) + 1] is { } shown
                            ? FieldText.Show(Encoding.UTF8.GetBytes(shown))
                            : "NULL", ShowValue(block, row, column));
                        return new RowDifference(row, RowDifference.DiffersCode, _columns[column].Name,
                            $"is {there} in the row with {ShowKey(block, row)}, and {here} in the file");
                    }
                }
            }
        }

        return new RowDifference(
            row, RowDifference.DiffersCode, null, $"the row with {ShowKey(block, row)} has other values than the file");
    }

    private string FormText(RowBlock block, int row, int column)
    {
        _text.ResetWrittenCount();
        _hash.WriteForm(_text, block, row, column);
        return Encoding.UTF8.GetString(_text.WrittenSpan);
    }

    private string ShowKey(RowBlock block, int row) =>
        string.Join(", ", _key.Select(column => $"{_columns[column].Name} {ShowValue(block, row, column)}"));

    private string ShowValue(RowBlock block, int row, int column)
    {
        if (block.Get(row, column, out var value) != CellState.Value)
        {
            return "NULL";
        }

        var target = _columns[column];
        return FieldText.Show(target.IsBinary
            ? Encoding.ASCII.GetBytes(Convert.ToHexString(value[..Math.Min(value.Length, CompareSql.MaxShown / 2)]))
            : target.Kind == ColumnKind.Decimal ? Encoding.UTF8.GetBytes(FormText(block, row, column))
            : value);
    }

    private KeyValue KeyOf(RowBlock block) => (key, column) => Value(block, _rows[key], _key[column]);

    private static ReadOnlySpan<byte> Value(RowBlock block, int row, int column)
    {
        block.Get(row, column, out var value);
        return value;
    }

    private ValueTask<TextResultSet> AskAsync(IServerSession session, CancellationToken cancellationToken) =>
        session.QueryAsync(Encoding.UTF8.GetString(_text.WrittenSpan), cancellationToken);
}

/// <summary>A row of a block that differs in the table, or is missing.</summary>
/// <param name="Code">stable kebab-case word</param>
/// <param name="Column">null: the row as a whole, or not asked</param>
internal sealed record RowDifference(int Row, string Code, string? Column, string Message)
{
    public const string MissingCode = "missing-row";

    public const string DiffersCode = "different-row";

    public const string SeveralCode = "several-rows";

    public static bool IsCode(string reason) => reason is MissingCode or DiffersCode or SeveralCode;
}

/// <summary>The result of a comparison.</summary>
/// <param name="Undecided">rows that cannot be compared, because the server makes their key or one of their values</param>
/// <param name="Differences">of all other rows, in order</param>
internal readonly record struct ComparedRows(long Equal, IReadOnlyList<int> Undecided, IReadOnlyList<RowDifference> Differences);

/// <summary>Checks rows that the server has just inserted, in the same transaction: the question sees them, nobody else has changed them,
/// and a difference rolls back the whole chunk.</summary>
/// <param name="sender">of the strategy; owned from here on</param>
internal sealed class VerifyingSender(IBatchSender sender, IServerSession session, LoadFacts facts) : IBatchSender
{
    private readonly RowComparer _comparer = new(facts);

    /// <summary>The two batches that a sender fills in turn, with the rows that they are made of.</summary>
    private readonly (EncodedBatch? Encoded, RowBlock Block, int From)[] _batches = new (EncodedBatch?, RowBlock, int)[2];

    public static IBatchSender Around(IBatchSender sender, IServerSession session, LoadFacts facts) =>
        facts.Verify is { Unverifiable: null } ? new VerifyingSender(sender, session, facts) : sender;

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = sender.Encode(block, from, most);
        _batches[PlaceOf(batch)] = (batch, block, from);
        return batch;
    }

    /// <exception cref="ReconciliationException">an inserted row differs from its record</exception>
    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var (_, block, from) = _batches[PlaceOf(batch)];

        // What follows is a question, not another batch.
        var outcome = await sender.SendAsync(batch, isMoreToCome: false, onSent, cancellationToken);
        if (outcome.Refusal is not null)
        {
            return outcome;
        }

        var compared = await _comparer.CompareAsync(session, block, from, batch.RowCount, cancellationToken);
        if (compared.Differences.Count > 0)
        {
            throw Explain(block, batch.RowCount, compared.Differences);
        }

        return outcome.With(facts.Verify!.Mode == VerifyMode.Count
            ? outcome.Taken with { Counted = compared.Equal }
            : outcome.Taken with { Compared = compared.Equal });
    }

    public ValueTask DisposeAsync() => sender.DisposeAsync();

    private int PlaceOf(EncodedBatch batch) => _batches[0].Encoded is null || _batches[0].Encoded == batch ? 0 : 1;

    private ReconciliationException Explain(RowBlock block, int rows, IReadOnlyList<RowDifference> differences)
    {
        var first = differences[0];
        var origin = block.Origin(first.Row);
        var where = $"{origin.In(facts.Sources[origin.Source].Name)}: "
            + $"{(first.Column is null ? "" : $"column '{first.Column}': ")}";
        var others = differences.Count == 1 ? "" : $", and {differences.Count - 1} more of {Plural.Count(rows, "row")}";
        return new ReconciliationException($"{where}--verify {VerifyModes.Of(facts.Verify!.Mode)}: {first.Message}{others}; the chunk was "
            + "rolled back")
        { IsOfContent = true };
    }
}
