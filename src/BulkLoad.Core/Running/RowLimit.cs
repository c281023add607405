using System.Globalization;

namespace BulkLoad.Core.Running;

/// <summary>How many rows a job may change. Asked before each commit.</summary>
internal sealed class RowLimit(KeyOptions options)
{
    /// <param name="rows">changed so far, those not yet committed included</param>
    /// <exception cref="ReconciliationException">more than is allowed</exception>
    public void Check(long rows)
    {
        if (options.MaxRows is { } most && rows > most)
        {
            throw new ReconciliationException(string.Create(CultureInfo.InvariantCulture, $"{rows} rows would be deleted by now, and --max-rows is {most}"));
        }

        if (options.Expect is { } expected && rows > expected)
        {
            throw new ReconciliationException(string.Create(CultureInfo.InvariantCulture, $"{rows} rows would be deleted by now, and --expect is {expected}"));
        }
    }

    /// <param name="rows">changed by the whole job</param>
    /// <exception cref="ReconciliationException">not as many as were expected</exception>
    public void CheckEnd(long rows)
    {
        Check(rows);
        if (options.Expect is { } expected && rows != expected)
        {
            throw new ReconciliationException(string.Create(CultureInfo.InvariantCulture, $"{rows} rows would be deleted, and --expect is {expected}"));
        }
    }
}
