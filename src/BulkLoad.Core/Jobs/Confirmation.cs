namespace BulkLoad.Core.Jobs;

/// <summary>Asks the user before something is changed.</summary>
internal static class Confirmation
{
    /// <summary>A stop does not wait for a user who does not answer.</summary>
    /// <param name="confirm">gets the question; null: nobody is asked</param>
    /// <param name="otherwise">what is so after a no, for people</param>
    /// <exception cref="DeclinedException">the user says no</exception>
    public static async Task RequireAsync<T>(Func<T, bool>? confirm, T question, string otherwise, CancellationToken stop)
    {
        if (confirm is not null && !await Task.Run(() => confirm(question), CancellationToken.None).WaitAsync(stop))
        {
            throw new DeclinedException($"not confirmed: {otherwise}");
        }
    }
}
