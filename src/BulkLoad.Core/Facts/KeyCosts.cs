namespace BulkLoad.Core.Facts;

/// <summary>What the server's work for rows that are found by their keys was measured as, in microseconds a row (docs/strategies.md).</summary>
internal static class KeyCosts
{
    /// <summary>What a statement that reads the whole table is taken for, where nobody knows how large it is: 100,000 rows.</summary>
    private const double MicrosecondsPerScan = 50_000;

    /// <summary>A statement of text has to be parsed, beside what a prepared one costs.</summary>
    private const double TextPerPrepared = 1.15;

    /// <summary>Deletes by lists of so many keys.</summary>
    public static double OfListDelete(LoadFacts facts, int keys)
    {
        var (list, row) = facts.Server.IsMariaDb ? (3.6, 12.5) : (4.0, 17.3);
        return list + (((row * TextPerPrepared) - list) / keys) + OfScans(facts, keys);
    }

    /// <summary>Deletes by a join with a table of keys that is filled by LOAD DATA.</summary>
    public static double OfStagedDelete(LoadFacts facts, int rowsPerBatch) => (facts.Server.IsMariaDb ? 4.8 : 6.4) + OfScans(facts, rowsPerBatch);

    /// <summary>Prepared deletes of one key, sent ahead.</summary>
    public static double OfRowDelete(LoadFacts facts) => (facts.Server.IsMariaDb ? 12.5 : 17.3) + OfScans(facts, 1);

    /// <summary>The same on MariaDB, executed in bulk: measured beside lists of a thousand keys, 1.4 s of 100,000 rows against 0.7 s, start included.</summary>
    public static double OfBulkDelete(LoadFacts facts) => 8.4 + OfScans(facts, 1);

    /// <summary>Updates by lists of so many rows.</summary>
    public static double OfListUpdate(LoadFacts facts, int rows)
    {
        var list = facts.Server.IsMariaDb ? 5.7 : 7.4;
        return list + (((OfRowUpdate(facts) * TextPerPrepared) - list) / rows);
    }

    /// <summary>Updates by a join with a table of rows that is filled by LOAD DATA.</summary>
    public static double OfStagedUpdate(LoadFacts facts) => facts.Server.IsMariaDb ? 6.5 : 9.2;

    /// <summary>Prepared updates by one record, sent ahead.</summary>
    public static double OfRowUpdate(LoadFacts facts) => facts.Server.IsMariaDb ? 15.2 : 22.5;

    private static double OfScans(LoadFacts facts, int keys) => facts.Key!.Index is null ? MicrosecondsPerScan / keys : 0;
}
