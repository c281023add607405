namespace BulkLoad.Core.Reports;

/// <summary>Progress of a pass over the inputs before anything is sent.</summary>
/// <param name="progress">null: nobody listens</param>
/// <param name="what">such as <c>reading types</c></param>
/// <param name="total">bytes of all inputs as stored; null: one is a pipe</param>
internal sealed class PassProgress(IProgress<LoadProgress>? progress, string what, long? total)
{
    /// <summary>Records between two calls.</summary>
    public const int Records = 4096;

    private long _before;

    /// <param name="bytes">read of the current input, as stored</param>
    public void At(long bytes) => progress?.Report(new LoadProgress(_before + bytes, total, 0, 0, what));

    /// <param name="bytes">length of the input that was read, as stored</param>
    public void End(long bytes)
    {
        _before += bytes;
        At(0);
    }
}
