namespace BulkLoad.Core.Options;

/// <summary>How often a chunk is sent again where the server could not take it at the moment.</summary>
/// <param name="Most">tries after the first one, without a chunk being committed in between; 0: none</param>
/// <param name="For">no more of them after so long a time</param>
public sealed record RetryOptions(int Most, TimeSpan For)
{
    /// <summary>Ten, within five minutes.</summary>
    public static RetryOptions Usual { get; } = new(10, TimeSpan.FromMinutes(5));
}
