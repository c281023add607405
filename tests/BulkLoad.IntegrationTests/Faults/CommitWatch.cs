namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Finds the COMMIT of each chunk in what one session says.</summary>
internal sealed class CommitWatch
{
    private bool _isEnding;

    /// <summary>Whether these bytes, which follow the former ones, commit a chunk.</summary>
    public bool Commits(ReadOnlySpan<byte> bytes)
    {
        _isEnding |= bytes.IndexOf("SET last_record"u8) >= 0;
        if (!_isEnding || bytes.IndexOf("\u0003COMMIT"u8) < 0)
        {
            return false;
        }

        _isEnding = false;
        return true;
    }
}
