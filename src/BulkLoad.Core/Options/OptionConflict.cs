namespace BulkLoad.Core.Options;

/// <summary>An option that does not go with another one.</summary>
/// <param name="Why">for people, behind a colon</param>
internal sealed record OptionConflict(string Option, Func<LoadRequest, bool> IsGiven, string Why)
{
    /// <param name="option">that was given</param>
    /// <exception cref="RequestException">one of the others was given too</exception>
    public static void Check(LoadRequest request, string option, IEnumerable<OptionConflict> others)
    {
        if (others.FirstOrDefault(other => other.IsGiven(request)) is { } one)
        {
            throw new RequestException($"{option} with {one.Option}: {one.Why}; leave one out");
        }
    }
}
