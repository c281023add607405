using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>How large a chunk may be so that the server takes it as one transaction, with room to spare: what a record takes there is an
/// estimate. Pure.</summary>
/// <param name="RowsBy">what sets <paramref name="Rows"/>, for people; empty: nothing does</param>
/// <param name="Bytes">of input</param>
/// <param name="BytesBy">what sets <paramref name="Bytes"/>, for people; empty: nothing does</param>
internal sealed record TransactionRoom(long Rows, string RowsBy, long Bytes, string BytesBy)
{
    /// <summary>A chunk is planned with this part of a limit at most. Measured: an import logs 1.06 bytes for a byte of CSV.</summary>
    private const int Spare = 2;

    /// <summary>Bytes of a logged row beside its values, at most.</summary>
    private const int RowOverhead = 100;

    private const double BytesForAByte = 1.06;

    /// <summary>Half of InnoDB's usual page (MySQL manual, "InnoDB Limits").</summary>
    private const int MaxRowBytes = 8_000;

    /// <summary>The least part of a table's space that is rows: that of pages filled in random order.</summary>
    private const double LeastFill = 0.7;

    /// <summary>An input may have fewer records than expected by this factor: those at its beginning can be shorter.</summary>
    private const double LeastOfEstimate = 0.5;

    private static readonly TransactionRoom Any = new(long.MaxValue, "", long.MaxValue, "");

    public static TransactionRoom Of(LoadFacts facts)
    {
        var room = Any;
        foreach (var limit in facts.Table.IsTransactional ? facts.Server.TransactionLimits : [])
        {
            var (rows, rowsBy) = limit.IsOfRows ? (limit.Most / Spare, limit.Text)
                : RowImage(facts) is { } image
                    ? ((long)(limit.Most / (Images(facts) * ((Spare * image) + RowOverhead))),
                        $"{limit.Text}, and a row takes about {image:N0}{(Images(facts) == 1 ? "" : ", twice")}")
                    : (long.MaxValue, "");
            var bytes = limit.IsOfRows || facts.Request.Kind == JobKind.Delete ? long.MaxValue
                : Math.Min(limit.Most / Spare / Images(facts), limit.ChunkBytes ?? long.MaxValue);
            room = new TransactionRoom(
                Math.Min(room.Rows, Math.Max(1, rows)), rows < room.Rows ? rowsBy : room.RowsBy,
                Math.Min(room.Bytes, Math.Max(1, bytes)), bytes < room.Bytes ? limit.Text : room.BytesBy);
        }

        return room;
    }

    /// <summary>Bytes that the server probably logs for a record.</summary>
    public static double BytesOfRecord(LoadFacts facts) =>
        Math.Max(facts.Request.Kind == JobKind.Delete ? 0 : facts.RecordBytes, (RowImage(facts) ?? 0) * Images(facts));

    /// <summary>What a user should know who has asked for sizes, or for one transaction.</summary>
    public static IEnumerable<string> Notes(LoadFacts facts)
    {
        var (request, room) = (facts.Request, Of(facts));
        if (request.RowsPerChunk > room.Rows)
        {
            yield return $"--rows-per-chunk {request.RowsPerChunk:N0}: {room.RowsBy}; {IsHalved}";
        }

        if (request.BytesPerChunk > room.Bytes)
        {
            yield return $"--bytes-per-chunk {request.BytesPerChunk:N0}: {room.BytesBy}; {IsHalved}";
        }

        if (request.IsOneChunk && facts.Server.TransactionLimits.FirstOrDefault(limit => Probably(facts, limit) > limit.Most) is { } small)
        {
            yield return $"one transaction for everything may be too large for this server, which would say so at its end: {small.Text}, "
                + $"and it takes about {Probably(facts, small):N0}";
        }
    }

    /// <exception cref="PlanException">the job is one transaction, and the server would surely refuse it</exception>
    public static void RequireForOneChunk(LoadFacts facts)
    {
        var request = facts.Request;
        if (!request.IsOneChunk || !request.Mode.Writes || !facts.Table.IsTransactional)
        {
            return;
        }

        foreach (var limit in facts.Server.TransactionLimits)
        {
            if (Surely(facts, limit) is var least && least > limit.Most)
            {
                throw new PlanException(
                    $"{(request.Atomic ? "--atomic" : "--expect")}: one transaction for everything is too large for this server: "
                    + $"{limit.Text}, and it takes at least {least:N0}")
                {
                    WaysOn = request.Atomic ? [new WayOn("to commit chunk by chunk") { Without = ["--atomic"] }] : [],
                };
            }
        }
    }

    private const string IsHalved = "a chunk that the server refuses for its size is halved";

    /// <summary>How often a row is logged: before a change and after it.</summary>
    private static int Images(LoadFacts facts) => facts.Request.ChangesRows && facts.Request.Kind != JobKind.Delete ? 2 : 1;

    /// <summary>Bytes of a row that is changed; null: none is, it is not logged, or nobody asked. Of a table that the storage engine has
    /// not looked at yet, as behind a first load, what a row can have without what is stored outside of it.</summary>
    private static double? RowImage(LoadFacts facts) =>
        !facts.Request.ChangesRows || facts.Server.LogsStatements || facts.Table.RowBytes is not { } bytes ? null
        : bytes > 0 ? bytes
        : Math.Min(MaxRowBytes, facts.Table.Columns.Sum(column => (double)column.Behaviour.RowBytes(column)));

    private static double Probably(LoadFacts facts, TransactionLimit limit) => (facts.EstimatedRecords ?? 0)
        * (limit.IsOfRows ? 1 : RowImage(facts) is null && facts.Request.Kind == JobKind.Delete ? 0 : BytesForAByte * BytesOfRecord(facts));

    /// <summary>What a transaction with all records has at least, in the limit's unit; 0: not known.</summary>
    private static double Surely(LoadFacts facts, TransactionLimit limit)
    {
        var request = facts.Request;
        if (request.OnDuplicate != DuplicateMode.Error || request.Key.IgnoreMissing || request.Key.Where is not null)
        {
            return 0;
        }

        var records = facts.EstimatedRecords * LeastOfEstimate ?? 0;
        return request.Kind != JobKind.Import && facts.Table.RowBytes is not > 0 ? 0
            : limit.IsOfRows ? request.Kind == JobKind.Update ? 0 : records
            : facts.Server.LogsStatements ? 0
            : request.Kind != JobKind.Import ? records * LeastFill * Images(facts) * (RowImage(facts) ?? 0)
            : LeastBytesOfRecord(facts) / facts.RecordBytes * LeastBytes(facts);
    }

    /// <summary>Of the inputs, as stored.</summary>
    private static double LeastBytes(LoadFacts facts) => Math.Min(
        facts.Sources.Sum(source => source.Bytes ?? 0), facts.Request.Limit * facts.RecordBytes ?? double.MaxValue);

    /// <summary>Bytes of a record that are text as it is stored: without those that may be numbers, dates, quotes, delimiters, or nothing
    /// that is stored.</summary>
    private static double LeastBytesOfRecord(LoadFacts facts)
    {
        if (facts.Sources.Any(source => source.Format == InputFormat.Jsonl.Word() || source.Format == InputFormat.Json.Word()))
        {
            return 0;
        }

        var others = facts.Fields.Sum(field => field.Column is null ? double.PositiveInfinity
            : facts.Table.Find(field.Column)?.Behaviour.Family switch
            {
                ColumnFamily.Character => 3,
                ColumnFamily.Integer => 23,
                ColumnFamily.Fraction => 70,
                ColumnFamily.Date => 36,
                _ => double.PositiveInfinity,
            });
        return Math.Max(0, facts.RecordBytes - others);
    }
}
