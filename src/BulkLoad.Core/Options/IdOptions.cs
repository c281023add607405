using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Options;

/// <summary>What goes with <see cref="LoadRequest.IdsFile"/>: the ids of rows that the job inserts, and that stay.</summary>
internal static class IdOptions
{
    private static readonly OptionConflict[] Excluded =
    [
        new("--on-duplicate", request => request.OnDuplicate != DuplicateMode.Error,
            "a record that finds a row gets no id of its own"),
        new("--preview", request => request.Mode == JobMode.Preview, "no row stays, and so no id"),
        new("--full-refresh", request => request.Refresh is not null,
            "the table beside gets the rows, and may be loaded again before it takes the table's place"),
    ];

    /// <exception cref="RequestException">the file has no name, or another option does not go with it</exception>
    public static void Check(LoadRequest request)
    {
        if (request.IdsFile is not { } file)
        {
            return;
        }

        RequestException.ThrowIf(file is "" or "-", "--ids-file: needs a file's name");
        if (CompressionFormat.ByName(file) is { } packed)
        {
            throw new RequestException($"--ids-file: ids are written as they are committed, not compressed: leave out {packed.Ending}");
        }

        OptionConflict.Check(request, "--ids-file", Excluded);
    }
}
