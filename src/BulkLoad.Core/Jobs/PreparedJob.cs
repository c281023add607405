using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;

namespace BulkLoad.Core.Jobs;

/// <summary>A request that has met its files and its server: everything is known and decided. Nothing in it can be asked again.</summary>
internal sealed record PreparedJob(LoadRequest Request, IReadOnlyList<LoadSource> Sources, LoadFacts Facts, LoadDecision Decision);
