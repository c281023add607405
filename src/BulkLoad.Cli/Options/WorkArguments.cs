using System.CommandLine;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>How the work is done.</summary>
internal sealed class WorkArguments : ArgumentGroup
{
    private readonly Option<string?> _strategy;
    private readonly Option<string?> _threads;
    private readonly Option<int?> _rowsPerBatch;
    private readonly Option<long?> _bytesPerBatch;
    private readonly Option<long?> _rowsPerChunk;
    private readonly Option<long?> _bytesPerChunk;
    private readonly Option<bool> _atomic;
    private readonly Option<long?> _maxMemory;

    public WorkArguments() : base("Work")
    {
        _strategy = Text("--strategy", "NAME",
            "auto (default), or the strategy to take; one that does not fit is refused, never replaced. --plan names them all");
        _threads = Text("--threads", "N",
            "auto (default), or how many sessions carry rows at the same time, where their order cannot matter; --plan says how many and "
                + "why");
        _rowsPerBatch = Value(
            "--rows-per-batch", "SIZE", "rows in one statement or packet (default: the measured optimum)", OptionParsers.SmallSize);
        _bytesPerBatch = Value(
            "--bytes-per-batch", "SIZE", "bytes in one statement or packet (default: the measured optimum)", OptionParsers.Size);
        _rowsPerChunk = Value("--rows-per-chunk", "SIZE",
            "rows committed in one transaction at most (default: 524,288; 131,072 of a pipe or an update; 65,536 with several sessions)",
            OptionParsers.Size);
        _bytesPerChunk = Value("--bytes-per-chunk", "SIZE",
            "bytes of input committed in one transaction (default: 32Mi; 8Mi of a pipe or an update; 4Mi with several sessions)",
            OptionParsers.Size);
        _atomic = Flag("--atomic", "all in one transaction, or nothing");
        _maxMemory = MaxMemory();
    }

    public WorkWords Bind(ParseResult words) => new(
        words.GetValue(_strategy) is { } name && name != "auto" ? name : null,
        ThreadsOf(words.GetValue(_threads)),
        words.GetValue(_rowsPerBatch),
        words.GetValue(_bytesPerBatch),
        words.GetValue(_rowsPerChunk),
        words.GetValue(_bytesPerChunk),
        words.GetValue(_atomic),
        words.GetValue(_maxMemory));

    private static int? ThreadsOf(string? text) => text is null or "auto" ? null
        : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var threads) ? threads
        : throw new RequestException($"--threads '{text}': auto, or a number from 1 to {LoadRequest.MostThreads}");
}

/// <summary>The work as typed; null: not typed.</summary>
internal sealed record WorkWords(
    string? Strategy,
    int? Threads,
    int? RowsPerBatch,
    long? BytesPerBatch,
    long? RowsPerChunk,
    long? BytesPerChunk,
    bool Atomic,
    long? MaxMemory)
{
    /// <summary>The request with the work done so.</summary>
    public LoadRequest ApplyTo(LoadRequest request) => request with
    {
        Strategy = Strategy,
        Threads = Threads,
        RowsPerBatch = RowsPerBatch,
        BytesPerBatch = BytesPerBatch,
        RowsPerChunk = RowsPerChunk,
        BytesPerChunk = BytesPerChunk,
        Atomic = Atomic,
        MaxMemory = MaxMemory,
    };
}
