using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Core.Strategies.LoadData;
using BulkLoad.Tests.Values.Cases;

namespace BulkLoad.IntegrationTests.Values;

/// <summary>A table of two columns, <c>id</c> and <c>v</c>, that rows can be sent to as a run would send them.</summary>
internal sealed class Target
{
    private readonly ServerSession _session;
    private readonly LoadFacts _facts;

    private Target(ServerSession session, LoadFacts facts)
    {
        _session = session;
        _facts = facts;
    }

    /// <summary>What was found out of the table.</summary>
    public LoadFacts Facts => _facts;

    /// <summary>Every form in which rows reach a server.</summary>
    public IEnumerable<(string Way, LoadFacts Facts, ILoadStrategy Strategy)> Ways =>
    [
        ("LOAD DATA", _facts, new LoadDataStrategy()),
        ("a prepared INSERT", _facts, new MultiRowInsertStrategy()),
        .. _facts.Server.TakesBulkExecutions
            ? [("bulk execution", _facts, new BulkExecuteStrategy())] : Array.Empty<(string, LoadFacts, ILoadStrategy)>(),
        ("literal text", _facts with { Server = _facts.Server with { MaxPreparedStatements = 0 } }, new MultiRowInsertStrategy()),
    ];

    public static async Task<Target> LookAsync(TestDatabase database, TestServer server)
    {
        var facts = await ServerProbe.LookAsync(database.Session, new ValueOptions(), TimeProvider.System, default);
        var table = await TableProbe.LookAsync(database.Session, database.Name, "t", default);
        return new Target(database.Session, new LoadFacts
        {
            Request = new LoadRequest { Files = ["t.csv"], Connection = server.Options() },
            Server = facts,
            Table = table,
            Columns = table.Columns,
            Fields = [],
            Sources = [],
            RecordBytes = 100,
            RecordsCanLackColumns = false,
            Assignments = [],
            Guesses = [],
        });
    }

    /// <summary>A row for each case that the column takes, its number as id, and one of NULL with the id -1.</summary>
    public RowBlock Fill(ValueGroup group)
    {
        var rule = group.CreateRule(_facts.Columns[1], _facts.Server.Zone);
        var block = new RowBlock(2, 1024);
        block.AddValue("-1"u8);
        block.AddNull();
        block.EndRow(1, 1, 0, []);
        for (var i = 0; i < group.Cases.Length; i++)
        {
            block.AddValue(Encoding.ASCII.GetBytes(i.ToString()));
            var fault = rule.Add(group.Cases[i].Field, block);
            Assert.True(group.Cases[i].Expected == $"!{fault?.Code}" || (fault is null && !group.Cases[i].IsRefused),
                $"{group.Cases[i]}, but the probed column says: {fault}");
            if (fault is not null)
            {
                block.AbandonRow();
                continue;
            }

            block.EndRow(i, i, i, []);
        }

        return block;
    }

    /// <summary>Sends and commits all rows; fails where the server takes one otherwise than as it was sent.</summary>
    public async Task SendAsync(ILoadStrategy strategy, LoadFacts facts, RowBlock rows)
    {
        await using var sender = strategy.CreateSender(_session, facts, new BatchSizes(rows.RowCount, 1 << 20, 1 << 20, 1 << 24));
        for (var from = 0; from < rows.RowCount;)
        {
            var batch = sender.Encode(rows, from, rows.RowCount);
            Assert.Null((await sender.SendAsync(batch, false, () => { }, default)).Refusal);
            from += batch.RowCount;
        }

        await _session.ExecuteAsync(TransactionSql.Commit, default);
    }
}
