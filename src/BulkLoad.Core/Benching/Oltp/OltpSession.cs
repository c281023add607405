using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Benching.Oltp;

/// <summary>One session's statements, prepared when they are first needed.</summary>
/// <param name="session">owned by the caller</param>
/// <param name="request">tables and their sizes</param>
/// <param name="random">of this session alone</param>
internal sealed class OltpSession(ServerSession session, OltpRequest request, Random random)
{
    /// <summary>Rows of a range.</summary>
    private const int RangeRows = 100;

    private static readonly byte[] Begin = StatementText.Encode(OltpSql.Begin);
    private static readonly byte[] Commit = StatementText.Encode(TransactionSql.Commit);

    /// <summary>Of each table, by what makes its text.</summary>
    private readonly Dictionary<Func<string, string>, PreparedStatement>[] _prepared =
        [.. Enumerable.Range(0, request.Tables).Select(_ => new Dictionary<Func<string, string>, PreparedStatement>(ReferenceEqualityComparer.Instance))];

    private readonly BinaryParameters _id = new([ParameterType.Int64]);
    private readonly BinaryParameters _range = new([ParameterType.Int64, ParameterType.Int64]);
    private readonly BinaryParameters _text = new([ParameterType.Text, ParameterType.Int64]);
    private readonly BinaryParameters _row = new([ParameterType.Int64, ParameterType.Int64, ParameterType.Text, ParameterType.Text]);
    private readonly BinaryParameters _newRow = new([ParameterType.Int64, ParameterType.Text, ParameterType.Text]);
    private readonly byte[] _c = new byte[OltpTables.TextLength];
    private readonly byte[] _pad = new byte[OltpTables.PadLength];
    private int _table;

    /// <summary>One transaction, on one of the tables.</summary>
    /// <exception cref="ServerException">it was refused, or the session is lost</exception>
    public Task RunAsync(OltpWorkload workload, CancellationToken cancellationToken)
    {
        _table = random.Next(request.Tables) + 1;
        return workload switch
        {
            { IsTransaction: true } => RunAllAsync(workload, cancellationToken),
            { Reads: > 0 } => ReadAsync(workload, cancellationToken),
            _ => WriteAsync(workload, cancellationToken),
        };
    }

    /// <summary>Undoes what a refused one has done.</summary>
    public async Task UndoAsync(CancellationToken cancellationToken) => await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);

    private async Task RunAllAsync(OltpWorkload workload, CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(null, Begin, cancellationToken);
        await ReadAsync(workload, cancellationToken);
        await WriteAsync(workload, cancellationToken);
        await session.ExecuteAsync(null, Commit, cancellationToken);
    }

    private async Task ReadAsync(OltpWorkload workload, CancellationToken cancellationToken)
    {
        for (var i = 0; i < workload.PointSelects; i++)
        {
            await session.ReadAsync(await PrepareAsync(OltpSql.SelectPoint, cancellationToken), Id(), cancellationToken);
        }

        for (var i = 0; i < workload.Ranges; i++)
        {
            await session.ReadAsync(await PrepareAsync(OltpSql.SelectRange, cancellationToken), Range(), cancellationToken);
            await session.ReadAsync(await PrepareAsync(OltpSql.SelectSum, cancellationToken), Range(), cancellationToken);
            await session.ReadAsync(await PrepareAsync(OltpSql.SelectOrdered, cancellationToken), Range(), cancellationToken);
            await session.ReadAsync(await PrepareAsync(OltpSql.SelectDistinct, cancellationToken), Range(), cancellationToken);
        }
    }

    private async Task WriteAsync(OltpWorkload workload, CancellationToken cancellationToken)
    {
        for (var i = 0; i < workload.IndexUpdates; i++)
        {
            await ExecuteAsync(OltpSql.UpdateIndexed, Id(), cancellationToken);
        }

        for (var i = 0; i < workload.OtherUpdates; i++)
        {
            OltpTables.FillText(random, _c);
            _text.Reset();
            _text.AddBytes(_c);
            _text.AddInt64(RandomId());
            await ExecuteAsync(OltpSql.UpdateOther, _text, cancellationToken);
        }

        for (var i = 0; i < workload.Replacements; i++)
        {
            var id = RandomId();
            await ExecuteAsync(OltpSql.Delete, Id(id), cancellationToken);
            _row.Reset();
            _row.AddInt64(id);
            AddValues(_row);
            await ExecuteAsync(OltpSql.Insert, _row, cancellationToken);
        }

        for (var i = 0; i < workload.Inserts; i++)
        {
            _newRow.Reset();
            AddValues(_newRow);
            await ExecuteAsync(OltpSql.InsertNew, _newRow, cancellationToken);
        }

        for (var i = 0; i < workload.Deletes; i++)
        {
            await ExecuteAsync(OltpSql.Delete, Id(), cancellationToken);
        }
    }

    private ValueTask<Answer> ExecuteAsync(Func<string, string> kind, BinaryParameters parameters, CancellationToken cancellationToken)
    {
        var preparing = PrepareAsync(kind, cancellationToken);
        return preparing.IsCompletedSuccessfully
            ? session.ExecuteAsync(null, preparing.Result, parameters, cancellationToken)
            : ExecuteAsync(preparing, parameters, cancellationToken);
    }

    private async ValueTask<Answer> ExecuteAsync(ValueTask<PreparedStatement> preparing, BinaryParameters parameters, CancellationToken cancellationToken) =>
        await session.ExecuteAsync(null, await preparing, parameters, cancellationToken);

    private ValueTask<PreparedStatement> PrepareAsync(Func<string, string> kind, CancellationToken cancellationToken) =>
        _prepared[_table - 1].TryGetValue(kind, out var statement) ? new(statement) : PrepareNewAsync(kind, cancellationToken);

    private async ValueTask<PreparedStatement> PrepareNewAsync(Func<string, string> kind, CancellationToken cancellationToken) =>
        _prepared[_table - 1][kind] = await session.PrepareAsync(kind(OltpSql.Table(_table)), cancellationToken);

    private long RandomId() => random.NextInt64(1, request.Rows + 1);

    private BinaryParameters Id() => Id(RandomId());

    private BinaryParameters Id(long id)
    {
        _id.Reset();
        _id.AddInt64(id);
        return _id;
    }

    private BinaryParameters Range()
    {
        var first = RandomId();
        _range.Reset();
        _range.AddInt64(first);
        _range.AddInt64(first + RangeRows - 1);
        return _range;
    }

    private void AddValues(BinaryParameters row)
    {
        OltpTables.FillText(random, _c);
        OltpTables.FillText(random, _pad);
        row.AddInt64(RandomId());
        row.AddBytes(_c);
        row.AddBytes(_pad);
    }
}
