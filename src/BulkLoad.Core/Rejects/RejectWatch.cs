using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Rejects;

/// <summary>What a preview has to hear of rejects.</summary>
/// <param name="Limit">how many rejects the command may have</param>
/// <param name="Reword">makes a reject one as people see it, where the server's words are about a copy of the table</param>
/// <param name="OnAdded">called for each reject when it is counted</param>
/// <param name="OnBlock">called with the rejects of the reading side that a block has, when all before it is settled, if with them there
/// are more than the limit allows</param>
internal sealed record RejectWatch(
    RejectLimit Limit, Func<Reject, Reject> Reword, Action<Reject> OnAdded, Action<IReadOnlyList<Reject>> OnBlock);
