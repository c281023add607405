using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Bench.Oltp;

/// <summary>One session's statements, prepared when they are first needed.</summary>
internal sealed class OltpSession(ServerSession session, OltpRequest request, Random random)
{
    private static readonly byte[] Begin = StatementText.Encode(OltpSql.Begin);
    private static readonly byte[] Commit = StatementText.Encode(TransactionSql.Commit);
    private static readonly int StatementCount = Enum.GetValues<OltpStatement>().Length;

    private readonly OltpValues _values = new(request.Rows, random);

    /// <summary>By 0-based table and by statement; null: not prepared yet.</summary>
    private readonly PreparedStatement?[][] _prepared =
        [.. Enumerable.Range(0, request.Tables).Select(_ => new PreparedStatement?[StatementCount])];

    public ValueTask RunAsync(OltpWorkload workload, CancellationToken cancellationToken)
    {
        var table = random.Next(request.Tables);
        return workload.IsTransaction
            ? RunAllAsync(workload.Statements, table, cancellationToken)
            : RunAsync(workload.Statements[0], table, cancellationToken);
    }

    public async Task UndoAsync(CancellationToken cancellationToken) =>
        await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);

    private async ValueTask RunAllAsync(OltpStatement[] statements, int table, CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(null, Begin, cancellationToken);
        foreach (var statement in statements)
        {
            await RunAsync(statement, table, cancellationToken);
        }

        await session.ExecuteAsync(null, Commit, cancellationToken);
    }

    private ValueTask RunAsync(OltpStatement statement, int table, CancellationToken cancellationToken)
    {
        if (_prepared[table][(int)statement] is not { } prepared)
        {
            return PrepareAndRunAsync(statement, table, cancellationToken);
        }

        var parameters = _values.For(statement);
        return OltpWorkload.IsRead(statement)
            ? WithoutResult(session.ReadAsync(prepared, parameters, cancellationToken))
            : WithoutResult(session.ExecuteAsync(null, prepared, parameters, cancellationToken));
    }

    private async ValueTask PrepareAndRunAsync(OltpStatement statement, int table, CancellationToken cancellationToken)
    {
        _prepared[table][(int)statement] = await session.PrepareAsync(OltpSql.Of(statement, OltpSql.Table(table + 1)), cancellationToken);
        await RunAsync(statement, table, cancellationToken);
    }

    /// <summary>Allocates no task if the call is complete.</summary>
    private static ValueTask WithoutResult<T>(ValueTask<T> running)
    {
        if (!running.IsCompletedSuccessfully)
        {
            return new(running.AsTask());
        }

        _ = running.Result;
        return ValueTask.CompletedTask;
    }
}

/// <summary>Random values for one session's statements; ids are uniformly distributed.</summary>
internal sealed class OltpValues(long rows, Random random)
{
    private const int RangeRows = 100;

    private readonly BinaryParameters _id = new([ParameterType.Int64]);
    private readonly BinaryParameters _range = new([ParameterType.Int64, ParameterType.Int64]);
    private readonly BinaryParameters _text = new([ParameterType.Text, ParameterType.Int64]);
    private readonly BinaryParameters _row = new([ParameterType.Int64, ParameterType.Int64, ParameterType.Text, ParameterType.Text]);
    private readonly BinaryParameters _newRow = new([ParameterType.Int64, ParameterType.Text, ParameterType.Text]);
    private readonly byte[] _c = new byte[OltpTables.TextLength];
    private readonly byte[] _pad = new byte[OltpTables.PadLength];
    private long _lastId;

    /// <summary>Valid until the next call.</summary>
    public BinaryParameters For(OltpStatement statement) => statement switch
    {
        OltpStatement.SelectPoint or OltpStatement.UpdateIndexed or OltpStatement.Delete => Ids(_id, RandomId()),
        OltpStatement.UpdateOther => Text(),
        OltpStatement.Insert => Row(),
        OltpStatement.InsertNew => NewRow(),
        _ => Ids(_range, RandomId(), _lastId + RangeRows - 1),
    };

    private BinaryParameters Text()
    {
        _text.Reset();
        AddText(_text, _c);
        _text.AddInt64(RandomId());
        return _text;
    }

    private BinaryParameters Row()
    {
        AddColumns(Ids(_row, _lastId));
        return _row;
    }

    private BinaryParameters NewRow()
    {
        AddColumns(Ids(_newRow));
        return _newRow;
    }

    private static BinaryParameters Ids(BinaryParameters parameters, params ReadOnlySpan<long> ids)
    {
        parameters.Reset();
        foreach (var id in ids)
        {
            parameters.AddInt64(id);
        }

        return parameters;
    }

    private void AddColumns(BinaryParameters row)
    {
        row.AddInt64(RandomId());
        AddText(row, _c);
        AddText(row, _pad);
    }

    private void AddText(BinaryParameters row, byte[] text)
    {
        OltpTables.FillText(random, text);
        row.AddBytes(text);
    }

    private long RandomId() => _lastId = random.NextInt64(1, rows + 1);
}
