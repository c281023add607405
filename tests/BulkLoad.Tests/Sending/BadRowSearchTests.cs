using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Tests.Sending;

/// <summary>Refused batches are taken apart: every good row is taken once, every bad one refused alone, with few statements.</summary>
public sealed class BadRowSearchTests
{
    private static RowBlock Block(int rows)
    {
        var block = new RowBlock(1, 16);
        for (var row = 0; row < rows; row++)
        {
            block.AddValue(Encoding.UTF8.GetBytes($"{row}"));
            block.EndRow(row + 1, row + 2, row, "x"u8);
        }

        return block;
    }

    private static async Task<(PickySender Sender, Fates Fates, BadRowSearch Search)> RunAsync(
        int rows, Func<int, bool> isBad, Naming naming = Naming.None, bool isSent = true, int largest = int.MaxValue)
    {
        var sender = new PickySender(isBad, naming, largest);
        var fates = new Fates();
        var narrowing = new BadRowSearch(sender, sender, fates);
        var block = Block(rows);
        var refusal = isSent
            ? (await sender.SendAsync(sender.Encode(block, 0, rows), isMoreToCome: false, () => { }, CancellationToken.None)).Refusal
            : null;
        sender.Reset();
        await narrowing.SendAsync(block, 0, rows, refusal, CancellationToken.None, CancellationToken.None);
        Assert.Equal(Enumerable.Range(0, rows).Where(row => !isBad(row)), fates.Taken);
        Assert.Equal(Enumerable.Range(0, rows).Where(isBad), fates.Refused);
        return (sender, fates, narrowing);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(17)]
    [InlineData(2000)]
    [InlineData(30_000)]
    public async Task One_bad_row_costs_two_batches_of_rows_and_a_logarithm_of_statements(int rows)
    {
        foreach (var bad in new[] { 0, 1, rows / 3, rows / 2, rows - 2, rows - 1 })
        {
            var (sender, _, narrowing) = await RunAsync(rows, row => row == bad);
            Assert.InRange(sender.Rows, 1, 2 * rows);
            Assert.InRange(sender.Statements, 1, 8 + (5 * Math.Log2(rows)));
            Assert.Equal(1, narrowing.Batches);
        }
    }

    [Theory]
    [InlineData(2000)]
    [InlineData(30_000)]
    public async Task A_row_that_the_server_names_is_found_at_once(int rows)
    {
        foreach (var bad in new[] { 0, 1, rows / 3, rows - 1 })
        {
            var (sender, _, _) = await RunAsync(rows, row => row == bad, Naming.Right);
            Assert.InRange(sender.Rows, 1, rows);
            Assert.InRange(sender.Statements, 1, 3 + Math.Log2(rows));
        }
    }

    [Fact]
    public async Task Where_one_of_several_statements_was_refused_the_rows_before_it_are_sent_at_once()
    {
        foreach (var bad in new[] { 0, 99, 100, 777, 1999 })
        {
            var (sender, _, _) = await RunAsync(2000, row => row == bad, Naming.Statement);
            Assert.InRange(sender.Rows, 1, 2000 + (2 * 100));
            Assert.InRange(sender.Statements, 1, 3 + (4 * Math.Log2(100)));
        }
    }

    [Theory]
    [InlineData(Naming.AlwaysFirst)]
    [InlineData(Naming.OffByOne)]
    [InlineData(Naming.Beyond)]
    public async Task A_server_that_names_wrong_rows_is_not_believed_twice(Naming naming)
    {
        var (sender, _, _) = await RunAsync(2000, row => row is 777 or 1999, naming);
        Assert.InRange(sender.Statements, 1, 150);
        Assert.InRange(sender.Rows, 1, 5 * 2000);
    }

    [Theory]
    [InlineData(3)]
    [InlineData(10)]
    [InlineData(40)]
    public async Task Several_bad_rows_cost_a_logarithm_each(int bad)
    {
        const int Rows = 20_000;
        var (sender, _, _) = await RunAsync(Rows, row => row % (Rows / bad) == 5);
        Assert.InRange(sender.Statements, 1, bad * 5 * Math.Log2(Rows));
        Assert.InRange(sender.Rows, 1, 4 * Rows);
    }

    [Theory]
    [InlineData(Naming.None)]
    [InlineData(Naming.Right)]
    public async Task Where_every_row_is_bad_it_comes_to_one_statement_a_row(Naming naming)
    {
        var (sender, _, narrowing) = await RunAsync(5000, _ => true, naming);
        Assert.InRange(sender.Statements, 5000, 5020);
        Assert.InRange(sender.Rows, 5000, 5000 + 5000);
        Assert.True(narrowing.IsCautious);
    }

    [Fact]
    public async Task Where_nearly_every_row_is_bad_it_costs_little_more()
    {
        var (sender, _, _) = await RunAsync(5000, row => row % 50 != 0);
        Assert.InRange(sender.Statements, 5000, 5400);
    }

    [Fact]
    public async Task After_bad_rows_the_next_block_starts_with_small_batches_until_they_are_rare_again()
    {
        var sender = new PickySender(row => row is 3 or 10, Naming.None, int.MaxValue);
        var narrowing = new BadRowSearch(sender, sender, new Fates());
        await narrowing.SendAsync(Block(12), 0, 12, null, CancellationToken.None, CancellationToken.None);
        Assert.True(narrowing.IsCautious);
        sender.BadRows = _ => false;
        sender.Reset();
        await narrowing.SendAsync(Block(4000), 0, 4000, null, CancellationToken.None, CancellationToken.None);
        Assert.InRange(sender.Statements, 2, 40);
        for (var i = 0; i < 3; i++)
        {
            Assert.True(narrowing.IsCautious);
            await narrowing.SendAsync(Block(4000), 0, 4000, null, CancellationToken.None, CancellationToken.None);
        }

        Assert.False(narrowing.IsCautious);
    }

    [Theory]
    [InlineData(3 * 4000, true)]
    [InlineData(5 * 4000, false)]
    public async Task Behind_a_bad_row_that_is_far_from_the_one_before_whole_batches_go_on(int between, bool isCautious)
    {
        var sender = new PickySender(row => row == 10, Naming.Right, int.MaxValue);
        var narrowing = new BadRowSearch(sender, sender, new Fates());
        await RefuseAsync();
        Assert.False(narrowing.IsCautious);
        narrowing.Pass(between - 3989 - 10);
        await RefuseAsync();
        Assert.Equal(isCautious, narrowing.IsCautious);

        async Task RefuseAsync()
        {
            var refusal = (await sender.SendAsync(
                sender.Encode(Block(4000), 0, 4000), isMoreToCome: false, () => { }, CancellationToken.None)).Refusal;
            await narrowing.SendAsync(Block(4000), 0, 4000, refusal, CancellationToken.None, CancellationToken.None);
        }
    }

    /// <summary>A few blocks on, how far apart bad rows are is known: little is sent for nothing.</summary>
    [Theory]
    [InlineData(1000, Naming.None, 1.35, 20)]
    [InlineData(1000, Naming.Right, 1.25, 13)]
    [InlineData(100, Naming.Right, 1.4, 7)]
    public async Task Bad_rows_that_are_evenly_apart_cost_a_share_of_what_is_between_them(
        int every, Naming naming, double maxRows, double maxStatements)
    {
        const int Rows = 4000;
        var sender = new PickySender(row => row % every == every / 2, naming, int.MaxValue);
        var narrowing = new BadRowSearch(sender, sender, new Fates());
        var refusal =
            (await sender.SendAsync(sender.Encode(Block(Rows), 0, Rows), isMoreToCome: false, () => { }, CancellationToken.None)).Refusal;
        await narrowing.SendAsync(Block(Rows), 0, Rows, refusal, CancellationToken.None, CancellationToken.None);
        sender.Reset();
        for (var i = 0; i < 5; i++)
        {
            Assert.True(narrowing.IsCautious);
            await narrowing.SendAsync(Block(Rows), 0, Rows, null, CancellationToken.None, CancellationToken.None);
        }

        Assert.InRange(sender.Rows, 5 * Rows, 5 * Rows * maxRows);
        Assert.InRange(sender.Statements, 5 * Rows / every, 5 * Rows / every * maxStatements);
    }

    [Fact]
    public async Task A_batch_that_holds_fewer_rows_than_asked_for_is_gone_on_from_there() =>
        await RunAsync(1000, row => row % 97 == 3, largest: 7);

    [Fact]
    public async Task Random_bad_rows_are_all_found()
    {
        for (var seed = 0; seed < 200; seed++)
        {
            var random = new Random(seed);
            var rows = random.Next(1, 400);
            var share = random.NextDouble() * random.NextDouble();
            var bad = Enumerable.Range(0, rows).Where(_ => random.NextDouble() < share).ToHashSet();
            await RunAsync(rows, bad.Contains, (Naming)random.Next(7), isSent: random.Next(2) == 0 && bad.Count > 0,
                largest: random.Next(3) == 0 ? random.Next(1, 50) : int.MaxValue);
        }
    }

    [Fact]
    public async Task Bad_rows_that_are_taken_once_they_stand_alone_cost_no_more_than_refused_ones()
    {
        var sender = new PickySender(row => row % 50 != 0, Naming.None, int.MaxValue) { ResolvesSingleRows = true };
        var fates = new Fates();
        var narrowing = new BadRowSearch(sender, sender, fates);
        await narrowing.SendAsync(Block(5000), 0, 5000, null, CancellationToken.None, CancellationToken.None);
        Assert.Equal(Enumerable.Range(0, 5000), fates.Taken);
        Assert.Empty(fates.Refused);
        Assert.InRange(sender.Statements, 5000, 5420);
        Assert.True(narrowing.IsCautious);
    }

    [Fact]
    public async Task It_can_be_stopped_between_batches()
    {
        var sender = new PickySender(_ => true, Naming.None, int.MaxValue);
        using var stop = new CancellationTokenSource();
        var fates = new Fates { OnRefused = stop.Cancel };
        await Assert.ThrowsAsync<OperationCanceledException>(
            () => new BadRowSearch(sender, sender, fates).SendAsync(Block(100), 0, 100, null, stop.Token, CancellationToken.None));
        Assert.Single(fates.Refused);
    }

    /// <summary>Which row a server names when it refuses a batch.</summary>
    public enum Naming
    {
        None,
        Right,
        AlwaysFirst,
        OffByOne,
        Beyond,
        Statement,
        WrongStatement,
    }

    private sealed class Fates : INarrowed
    {
        public List<int> Taken { get; } = [];

        public List<int> Refused { get; } = [];

        public Action OnRefused { get; init; } = () => { };

        public ValueTask TakeAsync(RowBlock block, int from, int rows, BatchOutcome outcome, CancellationToken stop)
        {
            Assert.Equal(rows, outcome.Taken.Count);
            Taken.AddRange(Enumerable.Range(from, rows));
            return ValueTask.CompletedTask;
        }

        public ValueTask RefuseAsync(RowBlock block, int row, BatchRefusal refusal, CancellationToken stop)
        {
            Refused.Add(row);
            OnRefused();
            return ValueTask.CompletedTask;
        }
    }

    /// <summary>Takes a batch where no row of it is bad.</summary>
    /// <summary>An engine that cannot roll back: what it took before a bad row is not sent again.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(90)]
    public async Task Rows_that_stay_are_not_sent_again(int every)
    {
        foreach (var largest in new[] { int.MaxValue, 100 })
        {
            var table = new List<int>();
            var sender = new PickySender(row => row % every == every - 1, Naming.Right, largest) { Kept = table };
            var fates = new Fates();
            var narrowing = new BadRowSearch(sender, sender, fates);
            var block = Block(1000);
            var batch = sender.Encode(block, 0, 1000);
            var outcome = await sender.SendAsync(batch, isMoreToCome: false, () => { }, CancellationToken.None);
            await narrowing.SendAsync(block, 0, batch.RowCount, outcome.Refusal, CancellationToken.None, CancellationToken.None);
            var good = Enumerable.Range(0, batch.RowCount).Where(row => row % every != every - 1);
            Assert.Equal(good, fates.Taken);
            Assert.Equal(good, table);
        }
    }

    private sealed class PickySender(Func<int, bool> isBad, Naming naming, int largest) : IBatchSender
    {
        public Func<int, bool> BadRows { get; set; } = isBad;

        /// <summary>Whether a bad row that stands alone is taken after all.</summary>
        public bool ResolvesSingleRows { get; init; }

        /// <summary>The rows of a table that cannot roll back; null: it does.</summary>
        public List<int>? Kept { get; init; }

        public int Statements { get; private set; }

        public int Rows { get; private set; }

        public void Reset() => Statements = Rows = 0;

        public EncodedBatch Encode(RowBlock block, int from, int most) =>
            new Batch(from, Math.Min(largest, Math.Min(most, block.RowCount - from)));

        public ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
        {
            var from = ((Batch)batch).From;
            Statements++;
            Rows += batch.RowCount;
            var bad = Enumerable.Range(from, batch.RowCount).Where(BadRows).Select(row => row - from).Cast<int?>().FirstOrDefault();
            Kept?.AddRange(Enumerable.Range(from, bad ?? batch.RowCount));
            if (bad is null)
            {
                return ValueTask.FromResult<BatchOutcome>(new RowCounts(batch.RowCount));
            }

            if (ResolvesSingleRows && batch.RowCount == 1)
            {
                return ValueTask.FromResult((BatchOutcome)new RowCounts(0, Ignored: 1) with { WasDuplicate = true });
            }

            return ValueTask.FromResult<BatchOutcome>(new BatchRefusal(1062, "refused", naming switch
            {
                Naming.Right => bad,
                Naming.AlwaysFirst => 0,
                Naming.OffByOne => bad + 1,
                Naming.Beyond => 99_999,
                _ => null,
            })
            {
                Kind = Kept is not null && batch.RowCount > 1 ? RefusalKind.PartlyTaken : RefusalKind.Values,
                Among = naming switch
                {
                    Naming.Statement => (bad.Value / 100 * 100, 100),
                    Naming.WrongStatement => (bad.Value / 2, 3),
                    _ => null,
                },
            });
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;

        private sealed class Batch : EncodedBatch
        {
            public Batch(int from, int rows) => (From, RowCount) = (from, rows);

            public int From { get; }
        }
    }
}
