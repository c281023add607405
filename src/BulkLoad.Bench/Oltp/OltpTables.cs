using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench.Oltp;

internal sealed class OltpTables(OltpRequest request, BenchPlace place)
{
    private const int RowsPerLoad = 50_000;
    private const int GroupLength = 12;
    private const int Groups = 10;
    private const int PadGroups = 5;

    private IEnumerable<string> Names => Enumerable.Range(1, request.Tables).Select(OltpSql.Table);

    /// <summary>If it fails or is stopped, the tables are dropped.</summary>
    public async Task PrepareAsync(BenchRunner runner, CancellationToken cancellationToken)
    {
        if (await place.DropTransactionTablesAsync(cancellationToken) is > 0 and var dropped)
        {
            runner.Note(
                $"{dropped} {Plural.For(dropped, "table")} for transactions, of an earlier 'bulkload bench oltp', dropped before it began");
        }

        var session = await place.ConnectAsync(cancellationToken);
        var random = new Random(20261);
        foreach (var table in Names)
        {
            runner.Report($"filling {table}");
            await place.CreateAsync(table, OltpSql.Definition, cancellationToken);
            var load = new LocalLoad(null, BatchSql.Load(table, OltpSql.Columns), BatchSql.FileName);
            for (var first = 1L; first <= request.Rows; first += RowsPerLoad)
            {
                await session.LoadLocalAsync(
                    load, Lines(random, first, Math.Min(request.Rows, first + RowsPerLoad - 1)), null, null, cancellationToken);
            }
        }
    }

    public async Task RequireAsync(CancellationToken cancellationToken)
    {
        var found = (await place.FindTransactionTablesAsync(cancellationToken)).ToHashSet(StringComparer.OrdinalIgnoreCase);
        if (Names.FirstOrDefault(name => !found.Contains(name)) is { } missing)
        {
            throw new PlanException($"there is no table {missing} that a bench has made: run 'bulkload bench oltp prepare' with the same "
                + "--tables first, or 'bulkload bench oltp' for all of it");
        }
    }

    public void Keep()
    {
        foreach (var name in Names)
        {
            place.Keep(name);
        }
    }

    public static void FillText(Random random, Span<byte> text)
    {
        random.NextBytes(text);
        for (var i = 0; i < text.Length; i++)
        {
            text[i] = i % GroupLength == GroupLength - 1 ? (byte)'-' : (byte)('0' + ((text[i] * 10) >> 8));
        }
    }

    public const int TextLength = (Groups * GroupLength) - 1;

    public const int PadLength = (PadGroups * GroupLength) - 1;

    private byte[] Lines(Random random, long first, long last)
    {
        var lines = new StringBuilder();
        var (text, pad) = (new byte[TextLength], new byte[PadLength]);
        for (var id = first; id <= last; id++)
        {
            FillText(random, text);
            FillText(random, pad);
            lines.Append(
                $"{id}\t{random.NextInt64(1, request.Rows + 1)}\t{Encoding.ASCII.GetString(text)}\t{Encoding.ASCII.GetString(pad)}\n");
        }

        return Encoding.ASCII.GetBytes(lines.ToString());
    }
}
