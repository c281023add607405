using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Rejects;

/// <summary>How a preview watches rejects. <paramref name="Limit"/> is the command's. <paramref name="Reword"/> replaces the server's words
/// about a copy of the table. <paramref name="OnAdded"/> gets each counted reject. <paramref name="OnBlock"/> gets the reader's rejects of
/// a block, in order, if with them there are too many.</summary>
internal sealed record RejectWatch(
    RejectLimit Limit, Func<Reject, Reject> Reword, Action<Reject> OnAdded, Action<IReadOnlyList<Reject>> OnBlock);
