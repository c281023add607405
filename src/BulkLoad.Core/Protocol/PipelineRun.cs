namespace BulkLoad.Core.Protocol;

/// <summary>Sends a pipeline's commands and reads the answers at the same time. A write that waits for the server never stops the reading,
/// so the two sides cannot deadlock, however small the buffers are. Nobody else uses the connection meanwhile.</summary>
internal sealed class PipelineRun(PacketConnection wire, AnswerReader answers, Pipeline pipeline)
{
    /// <summary>A write is a system call, and wakes the server.</summary>
    private const int MaxBytesPerWrite = 512 * 1024;

    /// <summary>A packet's header and the shortest OK packet. An error packet is longer.</summary>
    private const int MinBytesPerAnswer = 4 + 7;

    /// <summary>One of this number of due answers is waited for, so the server gets more work before it has none.</summary>
    private const int ShareAwaited = 4;

    private bool _isFilling = true;
    private bool _isStopped;
    private bool _isReported;
    private Task? _writing;

    public async ValueTask RunAsync(CancellationToken cancellationToken)
    {
        using var readLimit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            while (true)
            {
                if (_writing is { IsCompleted: true })
                {
                    await EndWriteAsync();
                }

                Send(cancellationToken);
                ReportSent();
                if (pipeline.Answered == pipeline.Sent)
                {
                    if (_writing is null)
                    {
                        break;
                    }

                    // The last answer came before the end of the write was noticed. After that there may be more to send.
                    await EndWriteAsync();
                    continue;
                }

                wire.Reader.BeginAnswer(pipeline.NextSequence);
                if (!wire.Reader.HasPacket)
                {
                    wire.AwaitBytes(MinBytesOf(pipeline.Sent - pipeline.Answered, isAll: pipeline.Sent == pipeline.Count));
                }

                try
                {
                    var next = answers.ReadAsync(readLimit.Token);
                    pipeline.Take(next.IsCompletedSuccessfully || _writing is null
                        ? await next
                        : await WaitAsync(next.AsTask(), readLimit, cancellationToken));
                }
                catch (ServerException fault) when (ServerSession.LeavesUsable(fault))
                {
                    pipeline.Take(fault);
                    _isStopped = true;
                }
            }
        }
        catch
        {
            if (_writing is { } writing)
            {
                // The commands belong to the caller, so nothing may read from them after this call.
                wire.Close();
                await writing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            throw;
        }
        finally
        {
            wire.AwaitBytes(1);
        }
    }

    /// <summary>Bytes to wait for at a time. They are sure to come, since all sent commands are answered; most bytes of the first answer
    /// may be there already. When nothing is left to send, the server may have no more work.</summary>
    private static int MinBytesOf(int due, bool isAll) => Math.Max(1, (isAll ? due - 1 : due / ShareAwaited) * MinBytesPerAnswer);

    /// <summary>Starts a write of what may be under way. Nothing else is written until it ends.</summary>
    private void Send(CancellationToken cancellationToken)
    {
        _isFilling |= pipeline.IsLow;
        while (_isFilling && !_isStopped && _writing is null)
        {
            var piece = pipeline.TakeNext(MaxBytesPerWrite);
            _isFilling = !piece.IsEmpty;
            if (_isFilling)
            {
                var writing = WriteAsync(piece, cancellationToken);
                _writing = writing.IsCompletedSuccessfully ? null : writing.AsTask();
            }
        }
    }

    private void ReportSent()
    {
        if (!_isReported && _writing is null && pipeline.Sent == pipeline.Count)
        {
            _isReported = true;
            pipeline.OnSent?.Invoke();
        }
    }

    private async ValueTask WriteAsync(ReadOnlyMemory<byte> packets, CancellationToken cancellationToken) =>
        await wire.Writer.WritePacketsAsync(packets, cancellationToken);

    private async ValueTask<OkResult> WaitAsync(
        Task<OkResult> reading, CancellationTokenSource readLimit, CancellationToken cancellationToken)
    {
        while (_writing is { } writing && !reading.IsCompleted)
        {
            if (await Task.WhenAny(reading, writing) == writing)
            {
                await EndWriteAsync(reading, readLimit);
                Send(cancellationToken);
                ReportSent();
            }
        }

        return await reading;
    }

    private async ValueTask EndWriteAsync()
    {
        if (_writing is { } writing)
        {
            _writing = null;
            await writing;
        }
    }

    /// <summary>If the write failed, the awaited answer may have the server's reason.</summary>
    private async ValueTask EndWriteAsync(Task<OkResult> reading, CancellationTokenSource readLimit)
    {
        try
        {
            await EndWriteAsync();
        }
        catch
        {
            wire.Reader.ChecksSequence = false;
            readLimit.CancelAfter(ClosingError.Limit);
            await ((Task)reading).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (reading.Exception?.InnerException is ServerException { Code: > 0 } lastWords)
            {
                throw ClosingError.Of(lastWords);
            }

            throw;
        }
    }
}
