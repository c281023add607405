namespace BulkLoad.Core.Protocol;

/// <summary>The loads of a session: one at a time, and one announced (MySQL client/server protocol, "LOCAL INFILE Request").</summary>
internal sealed class LoadExchange(PacketConnection wire, CommandWriter commands, AnswerReader answers, RouteMemory route)
{
    /// <summary>The load for whose content the server waits; null: none is announced.</summary>
    private SentLoad? _announced;

    public bool IsDue => _announced is not null;

    public bool HasAnnouncedOther(LocalLoad? load) => _announced is { } announced && announced.Load != load;

    public async ValueTask<OkResult> LoadAsync(
        EncodedLoad load, ReadOnlyMemory<byte> content, EncodedLoad? next, Action? onServed, CancellationToken cancellationToken)
    {
        var sent = _announced ?? await SendAsync(load, cancellationToken);
        _announced = null;
        await ReadPrologueAsync(sent, cancellationToken);
        await AwaitRequestAsync(sent, cancellationToken);
        return await EndAsync(content, next, onServed, cancellationToken);
    }

    /// <summary>Serves an empty file to the announced load. If that fails, the next command must not run: a COMMIT would succeed after a
    /// transaction that a cluster has undone.</summary>
    public async ValueTask DrainAsync(CancellationToken cancellationToken)
    {
        var load = _announced!;
        _announced = null;
        await ReadPrologueAsync(load, cancellationToken);
        await ServeNothingAsync(load, cancellationToken);
    }

    /// <summary>In one piece with its prologue: see <see cref="LeadingStatement"/>.</summary>
    private async ValueTask<SentLoad> SendAsync(EncodedLoad load, CancellationToken cancellationToken)
    {
        byte? toPrologue = null;
        if (load.Prologue is not null && route.IsStepwise)
        {
            await commands.QueryAsync(load.Prologue, cancellationToken);
            wire.GiveTurn();
            await answers.ReadAsync(cancellationToken);
        }
        else if (load.Prologue is not null)
        {
            toPrologue = await commands.QueryAheadAsync(load.Prologue, cancellationToken);
        }

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
        await commands.LocalContentAsync(content, cancellationToken);
        var toContent = wire.Writer.Sequence;
        if (next is not null && !route.IsStepwise)
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

internal sealed record EncodedLoad(LocalLoad Load, byte[]? Prologue, byte[] Statement, byte[] FileName)
{
    public static EncodedLoad Of(LocalLoad load) =>
        new(load, StatementText.EncodeAny(load.Prologue), StatementText.Encode(load.Statement), StatementText.Encode(load.FileName));
}

internal sealed record SentLoad(LocalLoad Load, byte[] FileName, byte? AnswerToPrologue, byte Answer);

/// <summary>A LOAD DATA LOCAL INFILE statement. If the prologue fails, nothing is loaded, and its fault is thrown. Only
/// <paramref name="FileName"/> is served.</summary>
internal sealed record LocalLoad(string? Prologue, string Statement, string FileName);

/// <summary>A statement that is sent in one piece with the next command. This cannot deadlock: it is a few bytes, which the socket
/// takes even if nobody reads.</summary>
internal static class LeadingStatement
{
    /// <summary>If the statement failed, the command after it is already on its way: a load gets nothing, an execution has run.
    /// <paramref name="drop"/> takes the command's answer then.</summary>
    public static async ValueTask ReadAnswerAsync(
        PacketConnection wire, AnswerReader answers, byte toPrologue, Func<CancellationToken, ValueTask<OkResult>> drop,
        CancellationToken cancellationToken)
    {
        wire.Reader.BeginAnswer(toPrologue);
        try
        {
            await answers.ReadAsync(cancellationToken);
        }
        catch (ServerException fault) when (ServerSession.LeavesUsable(fault))
        {
            try
            {
                await drop(cancellationToken);
            }
            catch (Exception other) when (other is ServerException or IOException)
            {
                // The prologue's fault comes first.
                if (!ServerSession.LeavesUsable(other))
                {
                    wire.Close();
                }
            }

            throw;
        }
    }
}
