namespace BulkLoad.Tests.Sending;

/// <summary>Hears a run's progress at once, one word after the other, whichever side of the run says it.</summary>
internal sealed class Told(Action<LoadProgress> tell) : IProgress<LoadProgress>
{
    private readonly Lock _gate = new();

    public void Report(LoadProgress value)
    {
        lock (_gate)
        {
            tell(value);
        }
    }
}
