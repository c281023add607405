using System.IO.Hashing;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Seeding;

/// <param name="Content">hash of its files and options</param>
/// <param name="Created">the table's CREATE_TIME</param>
/// <param name="Checksum">of its rows; null: the table is too large for it</param>
/// <param name="IsExact">whether the rows were exactly those of the files</param>
internal sealed record SeedKnown(string Content, string Created, string? Checksum, bool IsExact)
{
    /// <summary>Comes before the checksum of a table that was exactly its files.</summary>
    private const string ExactMark = "=";

    public static SeedKnown Read(string?[] row) => new(
        row[1]!, row[2]!, row[3] is { } sum && sum.StartsWith(ExactMark, StringComparison.Ordinal) ? sum[ExactMark.Length..] : row[3],
        row[3]?.StartsWith(ExactMark, StringComparison.Ordinal) ?? false);

    public string? Written => Checksum is null ? null : $"{(IsExact ? ExactMark : "")}{Checksum}";
}

/// <summary>The table <c>bulkload_seeds</c> beside the filled tables: one row a table, with its state after the last seed.</summary>
internal sealed class SeedState(string database)
{
    /// <summary>A checksum reads every row; so many take about 0.2 s.</summary>
    private const long MaxRowsToSum = 200_000;

    private readonly SeedStateSql _sql = new(database);

    /// <summary>A hash of the table's files and of the options that decide how they are loaded.</summary>
    /// <exception cref="InputException">a file cannot be read</exception>
    public static async Task<string> HashAsync(SeedEntry entry, CancellationToken cancellationToken)
    {
        var hash = new XxHash128();
        foreach (var (name, value) in entry.Options)
        {
            hash.Append(Encoding.UTF8.GetBytes($"{name}\0{value}\n"));
        }

        foreach (var path in entry.Files)
        {
            hash.Append(Encoding.UTF8.GetBytes($"\0{Path.GetFileName(path)}\0"));
            try
            {
                await using var file = new FileStream(
                    path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 1 << 16, useAsync: false);
                await hash.AppendAsync(file, cancellationToken);
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                throw new InputException($"{path} cannot be read: {FileFault.Describe(fault, path)}", fault);
            }
        }

        return Convert.ToHexStringLower(hash.GetCurrentHash());
    }

    /// <summary>Whether no seed has been here before.</summary>
    public bool IsNew { get; private set; }

    /// <summary>By table; empty: no seed has been here.</summary>
    public async Task<IReadOnlyDictionary<string, SeedKnown>> ReadAsync(IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            return (await session.QueryAsync(_sql.Read, cancellationToken)).Rows
                .ToDictionary(row => row[0]!, SeedKnown.Read);
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
        {
            IsNew = true;
            return new Dictionary<string, SeedKnown>();
        }
    }

    /// <summary>Checksums by table (<see cref="ExactSql.Sum"/>); tables with too many rows have none.</summary>
    public static async Task<IReadOnlyDictionary<string, string>> SumAsync(
        IServerSession session, IReadOnlyList<TableFacts> tables, CancellationToken cancellationToken)
    {
        if (tables.Count == 0)
        {
            return new Dictionary<string, string>();
        }

        var larger = await session.QueryAllAsync(
            [.. tables.Select(table => RowCountSql.HasAtLeast(table.QuotedName, MaxRowsToSum + 1))], cancellationToken);
        TableFacts[] small = [.. tables.Where((_, i) => larger[i].Rows.Count == 0)];
        var sums = small.Length == 0 ? [] : await session.QueryAllAsync([.. small.Select(ExactSql.Sum)], cancellationToken);
        return small.Zip(sums).ToDictionary(pair => pair.First.Name, pair => pair.Second.Scalar!);
    }

    /// <summary>Makes the table of states; commits what is open.</summary>
    public Task EnsureAsync(IServerSession session, CancellationToken cancellationToken) =>
        session.ExecuteAsync(_sql.Create, cancellationToken).AsTask();

    /// <summary>Writes states in the open transaction.</summary>
    public async Task WriteAsync(
        IServerSession session, IReadOnlyList<(string Table, SeedKnown Known)> tables, CancellationToken cancellationToken)
    {
        if (tables.Count == 0)
        {
            return;
        }

        await session.ExecuteAsync(
            _sql.Write(tables.Select(one => (one.Table, one.Known.Content, one.Known.Created, one.Known.Written))), cancellationToken);
    }

    /// <summary>Deletes states in the open transaction.</summary>
    public async Task ForgetAsync(IServerSession session, IEnumerable<string> tables, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(_sql.Forget(tables), cancellationToken);
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
        {
            // No seed has been here.
        }
    }
}
