namespace BulkLoad.Core.Refresh;

/// <summary>The last step of a full refresh: the table's rows become those of the loaded table beside it.</summary>
internal interface IRefreshEnd
{
    /// <param name="twin">the loaded table; afterwards it is gone</param>
    /// <param name="before">of the table's rows when the job began</param>
    /// <returns>how long others waited, or the change took; and the name of the table that has the former rows, null: they are
    /// gone</returns>
    /// <exception cref="ReconciliationException">others have written to the table or altered it meanwhile; the message says what is
    /// where</exception>
    Task<(TimeSpan Took, string? Kept)> RunAsync(string twin, Fingerprint before, CancellationToken cancellationToken);
}
