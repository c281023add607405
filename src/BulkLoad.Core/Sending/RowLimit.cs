using BulkLoad.Core.Options;

namespace BulkLoad.Core.Sending;

/// <summary>How many rows a job may find to change or delete. Asked before each commit.</summary>
internal sealed class RowLimit(LoadRequest request)
{
    private readonly KeyOptions _options = request.Key;
    private readonly string _done = request.Kind == JobKind.Delete ? "deleted" : "updated";

    /// <param name="rows">found so far, those not yet committed included</param>
    /// <exception cref="ReconciliationException">more than is allowed</exception>
    public void Check(long rows)
    {
        if (_options.MaxRows is { } most && rows > most)
        {
            throw Fault(rows, " by now", "max-rows", most);
        }

        if (_options.Expect is { } expected && rows > expected)
        {
            throw Fault(rows, " by now", "expect", expected);
        }
    }

    /// <exception cref="ReconciliationException">not as many as were expected</exception>
    public void CheckEnd(long rows)
    {
        Check(rows);
        if (_options.Expect is { } expected && rows != expected)
        {
            throw Fault(rows, "", "expect", expected);
        }
    }

    private ReconciliationException Fault(long rows, string when, string option, long limit) =>
        new($"{Plural.Count(rows, "row")} would be {_done}{when}, and --{option} is {limit:N0}");
}
