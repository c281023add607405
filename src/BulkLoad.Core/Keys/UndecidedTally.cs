using System.Numerics;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Keys;

/// <summary>Records that only the server can judge, by reason. A record may have several.</summary>
internal sealed class UndecidedTally
{
    private static readonly (string Code, string Text)[] Words =
    [
        ("table-rows", "the table may have a row with the same key already"),
        ("key-comparison", "whether a key is that of an earlier record depends on the column's collation or on a value that the server makes"),
        ("foreign-key", "the row that a foreign key refers to may be missing"),
        ("check-constraint", "the table has CHECK constraints"),
        ("trigger", "the table has INSERT triggers"),
        ("generated-column", "the table has columns or keys that the server works out from others"),
        ("partition", "a row may fit into none of the table's partitions"),
        ("default-expression", "the server works out a column's default"),
        ("set-expression", "--set has the server work out a column"),
        ("time-zone", "whether a time exists is not known here, since the server's time zone is not"),
        ("charset", "a column's character set is not known here"),
        ("geometry", "whether a geometry is valid is the server's to say"),
    ];

    private readonly long[] _records = new long[Words.Length];

    /// <summary>One entry for each reason that a record had.</summary>
    public IReadOnlyList<UndecidedCount> Counts =>
        [.. Words.Select((word, i) => new UndecidedCount(word.Code, word.Text, _records[i])).Where(count => count.Records > 0)];

    public void Add(UndecidedReasons reasons)
    {
        for (var rest = (uint)reasons; rest != 0; rest &= rest - 1)
        {
            _records[BitOperations.TrailingZeroCount(rest)]++;
        }
    }
}
