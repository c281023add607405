using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>The one place where hints are looked for. A job never ends for want of one: whatever the search throws is logged and
/// dropped.</summary>
internal static class Hints
{
    /// <param name="add">puts what it finds where it belongs</param>
    public static void Try(Action add, ILogger log) => Find(
        () =>
        {
            add();
            return true;
        },
        false, log);

    /// <param name="none">what there is without the hint, such as the error that it would explain</param>
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
