using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>Every search for a hint goes through here. A job never fails because of one: an exception is logged and dropped.</summary>
internal static class Hints
{
    public static void Try(Action add, ILogger log) => Find(
        () =>
        {
            add();
            return true;
        },
        false, log);

    /// <param name="none">the result if the search throws, such as the error that the hint would explain</param>
    public static T Find<T>(Func<T> find, T none, ILogger log)
    {
        try
        {
            return find();
        }
        catch (Exception fault)
        {
            log.HintFailed(fault);
            return none;
        }
    }
}
