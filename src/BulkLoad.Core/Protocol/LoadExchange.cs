namespace BulkLoad.Core.Protocol;

/// <summary>The loads of a session: each is sent, asked for by the server and served, one at a time, and one ahead (MySQL client/server
/// protocol, "LOCAL INFILE Request").</summary>
internal sealed class LoadExchange(PacketConnection wire, CommandWriter commands, AnswerReader answers)
{
    /// <summary>A load that the server has been sent and not been served: it waits for the content.</summary>
    private SentLoad? _announced;

    /// <summary>The load of whose file some is served, and not the end.</summary>
    public LocalLoad? Open { get; private set; }

    /// <summary>Whether the server waits for a file.</summary>
    public bool IsDue => _announced is not null || Open is not null;

    /// <summary>Whether another load than this was announced: it comes first.</summary>
    public bool HasAnnouncedOther(LocalLoad? load) => _announced is { } announced && announced.Load != load;

    /// <summary>Serves a part of a load's file that is not the last.</summary>
    public async ValueTask ServeAsync(EncodedLoad load, ReadOnlyMemory<byte> content, CancellationToken cancellationToken)
    {
        await OpenAsync(load, cancellationToken);
        await commands.LocalContentAsync(content, isEnd: false, cancellationToken);
    }

    /// <summary>Serves the rest of a load's file.</summary>
    /// <param name="next">announced behind it, where there is one</param>
    /// <param name="onServed">called once all is written</param>
    public async ValueTask<OkResult> LoadAsync(
        EncodedLoad load, ReadOnlyMemory<byte> content, EncodedLoad? next, Action? onServed, CancellationToken cancellationToken)
    {
        await OpenAsync(load, cancellationToken);
        Open = null;
        return await EndAsync(content, next, onServed, cancellationToken);
    }

    /// <summary>
    /// Takes the answer to the load that was announced and does not come: it loads nothing. If even that fails, the next command must not
    /// run: a COMMIT behind a transaction that a cluster has just undone would succeed.
    /// </summary>
    public async ValueTask DrainAsync(CancellationToken cancellationToken)
    {
        var load = _announced!;
        _announced = null;
        await ReadPrologueAsync(load, cancellationToken);
        await ServeNothingAsync(load, cancellationToken);
    }

    /// <summary>Has the server ask for a load's file, unless it has.</summary>
    private async ValueTask OpenAsync(EncodedLoad load, CancellationToken cancellationToken)
    {
        if (Open is null)
        {
            var sent = _announced ?? await SendAsync(load, cancellationToken);
            _announced = null;
            await ReadPrologueAsync(sent, cancellationToken);
            await AwaitRequestAsync(sent, cancellationToken);
            Open = load.Load;
        }
    }

    /// <summary>Sends a load in one piece with its prologue, which cannot block the two sides: see
    /// <see cref="LeadingStatement"/>.</summary>
    private async ValueTask<SentLoad> SendAsync(EncodedLoad load, CancellationToken cancellationToken)
    {
        byte? toPrologue = load.Prologue is null ? null : await commands.QueryAheadAsync(load.Prologue, cancellationToken);
        await commands.QueryAsync(load.Statement, cancellationToken);
        return new SentLoad(load.Load, load.FileName, toPrologue, wire.Writer.Sequence);
    }

    private async ValueTask ReadPrologueAsync(SentLoad load, CancellationToken cancellationToken)
    {
        if (load.AnswerToPrologue is { } sequence)
        {
            await LeadingStatement.ReadAnswerAsync(wire, answers, sequence, token => ServeNothingAsync(load, token), cancellationToken);
        }
    }

    private async ValueTask<OkResult> ServeNothingAsync(SentLoad load, CancellationToken cancellationToken)
    {
        await AwaitRequestAsync(load, cancellationToken);
        return await EndAsync(ReadOnlyMemory<byte>.Empty, null, null, cancellationToken);
    }

    private async ValueTask AwaitRequestAsync(SentLoad load, CancellationToken cancellationToken)
    {
        wire.Reader.BeginAnswer(load.Answer);
        await answers.ReadLocalRequestAsync(load.FileName, cancellationToken);
        wire.TakeTurn();
    }

    private async ValueTask<OkResult> EndAsync(
        ReadOnlyMemory<byte> content, EncodedLoad? next, Action? onServed, CancellationToken cancellationToken)
    {
        await commands.LocalContentAsync(content, isEnd: true, cancellationToken);
        var toContent = wire.Writer.Sequence;
        if (next is not null)
        {
            // Nobody reads the answer to this load meanwhile. That cannot block: both this and what the server has to say are a few
            // bytes, which the sockets take whether or not anybody reads.
            _announced = await SendAsync(next, cancellationToken);
        }

        onServed?.Invoke();
        wire.Reader.BeginAnswer(toContent);
        return await answers.ReadAsync(cancellationToken);
    }
}

/// <summary>A load as it goes out.</summary>
internal sealed record EncodedLoad(LocalLoad Load, byte[]? Prologue, byte[] Statement, byte[] FileName)
{
    public static EncodedLoad Of(LocalLoad load) =>
        new(load, StatementText.EncodeAny(load.Prologue), StatementText.Encode(load.Statement), StatementText.Encode(load.FileName));
}

/// <summary>A load that went out, and the sequence ids that its answers must have.</summary>
internal sealed record SentLoad(LocalLoad Load, byte[] FileName, byte? AnswerToPrologue, byte Answer);

/// <summary>A LOAD DATA LOCAL INFILE statement, without its content.</summary>
/// <param name="Prologue">
/// a statement that returns no rows and goes out before it, without a wait in between; null for none. If it fails, nothing is
/// loaded, and its fault is thrown.
/// </param>
/// <param name="Statement">names the file</param>
/// <param name="FileName">the only file that is served</param>
internal sealed record LocalLoad(string? Prologue, string Statement, string FileName);
