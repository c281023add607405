using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies;

/// <summary>One way to bring rows into a table: when it is valid, what it costs, and how it sends one batch.</summary>
internal interface ILoadStrategy
{
    /// <summary>Kebab-case; the same in options, plan, docs and tests.</summary>
    string Name { get; }

    /// <summary>Null where every promise can be kept, else the reason why not.</summary>
    string? FindObstacle(LoadFacts facts);

    /// <summary>What speaks for it, for people.</summary>
    string Describe(LoadFacts facts);

    Cost CostOf(LoadFacts facts);

    /// <summary>The measured optimum and the limits of server and program, with what set each number.</summary>
    (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts);

    /// <summary>Sizes for which servers differ, in the order in which they are measured.</summary>
    IReadOnlyList<TunedSize> TunedSizes => [];

    /// <summary>Whether all batches of a file may go into one statement, which is the better the longer it is.</summary>
    bool SpansChunks(LoadFacts facts) => false;

    /// <summary>Rows of a full statement, where a batch is several of them; else 1.</summary>
    int RowsPerStatement(LoadFacts facts, BatchSizes sizes) => 1;

    /// <summary>The statements that carry rows, in the order in which they are sent for a batch.</summary>
    IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes);

    IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes);

    /// <summary>The strategy that takes refused batches apart: this one, or another that finds the records at fault with less
    /// work.</summary>
    ILoadStrategy NarrowsBy(LoadFacts facts) => this;
}
