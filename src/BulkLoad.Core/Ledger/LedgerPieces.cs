namespace BulkLoad.Core.Ledger;

/// <summary>Whether a job's chunks in the ledger are one piece from the job's first record on.</summary>
internal static class LedgerPieces
{
    /// <summary>The first hole between chunks, or before the first one; null: there is none.</summary>
    /// <remarks>A hole is not filled: the order in which records take effect is part of the promise, and the ledger does not know whether
    /// it matters.</remarks>
    /// <param name="chunks">in the input's order</param>
    /// <param name="endOf">the last record of an input, by its number; null where that is not known</param>
    /// <param name="startOf">records of an input that an earlier job has loaded, so that this one begins behind them; null where that is
    /// not known; no function: none has any</param>
    /// <returns>number of the input, the first record that is missing, and the last</returns>
    public static (int Source, long From, long To)? FindHole(
        IReadOnlyList<LedgerChunk> chunks, Func<int, long?> endOf, Func<int, long?>? startOf = null)
    {
        var (source, record) = (0, Start(0));
        foreach (var chunk in chunks)
        {
            for (; source < chunk.Source; (source, record) = (source + 1, Start(source + 1)))
            {
                if (record is { } before && endOf(source) is { } end && end > before)
                {
                    return (source, before + 1, end);
                }
            }

            if (record is { } last && chunk.FirstRecord > last + 1)
            {
                return (source, last + 1, chunk.FirstRecord - 1);
            }

            (source, record) = (chunk.LastSource, chunk.LastRecord);
        }

        return null;

        long? Start(int at) => startOf is null ? 0 : startOf(at);
    }

    /// <summary>
    /// A chunk's row is written at its beginning, and completed before its COMMIT: one that was committed without that is of a session that
    /// has committed each statement by itself.
    /// </summary>
    /// <exception cref="ReconciliationException">there is one</exception>
    public static void RequireComplete(IReadOnlyList<LedgerChunk> chunks, string job)
    {
        if (chunks.FirstOrDefault(chunk => chunk.Content.Length == 0) is { } chunk)
        {
            throw new ReconciliationException($"job {job} has a chunk in the ledger, from record {chunk.FirstRecord:N0} on, that was "
                + "committed before it was complete: autocommit was on then, and some of its records may be in the table: take them out, "
                + "and then the chunk's row, whose content is empty");
        }
    }

    /// <summary>What a start needs of a job that it resumes.</summary>
    /// <param name="chunks">in the input's order</param>
    /// <param name="startOf">as <see cref="FindHole"/> has it</param>
    /// <exception cref="ReconciliationException">the chunks are not one piece</exception>
    public static void RequireWhole(
        IReadOnlyList<LedgerChunk> chunks, string job, IReadOnlyList<string> names, string endpoint, Func<int, long?>? startOf = null)
    {
        RequireComplete(chunks, job);
        if (FindHole(chunks, _ => null, startOf) is var (source, from, to))
        {
            throw new ReconciliationException($"{endpoint} has lost {Describe(names, source, from, to)}, which job {job} had committed, "
                + $"and has records after them (a failover or a crash?): nothing was sent; {WayOn}");
        }
    }

    /// <summary>What to do about a hole with records behind it.</summary>
    public const string WayOn = "import the missing records from a separate file, and compare the table with 'bulkload verify'";

    /// <summary>Records of an input, for people.</summary>
    public static string Describe(IReadOnlyList<string> names, int source, long from, long to) =>
        $"{(from == to ? $"record {from:N0}" : $"records {from:N0}-{to:N0}")}{(names.Count > 1 ? $" of {names[source]}" : "")}";
}
