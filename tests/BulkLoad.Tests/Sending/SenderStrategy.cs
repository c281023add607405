using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Tests.Sending;

/// <summary>A strategy that nobody plans with, for the sake of its sender.</summary>
internal sealed class SenderStrategy(IBatchSender sender) : ILoadStrategy
{
    public string Name => "sender";

    public string? FindObstacle(LoadFacts facts) => null;

    public Assessment Assess(LoadFacts facts) => throw new NotSupportedException();

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) => [];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) => sender;
}
