using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace BulkLoad.Core.Protocol;

/// <summary>Reads the answers to commands (MySQL client/server protocol, "Command Phase"). With <paramref name="deprecatesEof"/>, OK
/// packets replace EOF packets (CLIENT_DEPRECATE_EOF).</summary>
internal sealed class AnswerReader(PacketConnection wire, bool deprecatesEof, TransactionWatch? transaction = null)
{
    public const int MaxResultBytes = 64 * 1024 * 1024;

    private const byte EofHeader = 0xfe;
    private const int EofLength = 5;
    private const byte LocalHeader = 0xfb;
    private const int MaxShortPacket = 1024 * 1024;
    private const int MaxResults = 1024;
    private const int MaxColumns = ushort.MaxValue;

    // Memory of a value and of a row, beside their text.
    private const int ValueOverhead = 32;
    private const int RowOverhead = 64;
    private const ushort MoreResultsExist = 0x0008;

    private readonly OkPacket _ok = new();
    private readonly RowTotals _totals = new();
    private long _resultLeft;

    /// <summary>The answer to a statement that returns no rows; of several answers, the last. Allocates no task if it is there.</summary>
    public ValueTask<OkResult> ReadAsync(CancellationToken cancellationToken)
    {
        var reading = wire.Reader.ReadAsync(MaxShortPacket, cancellationToken);
        if (!reading.IsCompletedSuccessfully)
        {
            return WaitAsync(reading, cancellationToken);
        }

        var payload = reading.Result;
        return payload.Span is [OkPacket.Header, ..] && ParseOk(payload.Span) is var answer && IsLast(answer)
            ? new(answer)
            : ReadOnAsync(payload, cancellationToken);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<OkResult> WaitAsync(ValueTask<ReadOnlyMemory<byte>> reading, CancellationToken cancellationToken) =>
        await ReadOnAsync(await reading, cancellationToken);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<OkResult> ReadOnAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        for (var count = 1; ; count++)
        {
            RequireContent(payload);
            if (payload.Span[0] == LocalHeader)
            {
                await RefuseLocalAsync(cancellationToken);
            }

            ProtocolViolation.ThrowIf(payload.Span[0] != OkPacket.Header, "rows came where none were asked for");

            var answer = ParseOk(payload.Span);
            if (IsLast(answer))
            {
                return answer;
            }

            ProtocolViolation.ThrowIf(count == MaxResults, "its answers do not come to an end");

            payload = await wire.Reader.ReadAsync(MaxShortPacket, cancellationToken);
        }
    }

    private static bool IsLast(OkResult answer) => (answer.Status & MoreResultsExist) == 0;

    /// <summary>The rows of the first result. Empty where there is none.</summary>
    public async ValueTask<TextResultSet> ReadRowsAsync(CancellationToken cancellationToken)
    {
        var text = new TextRows();
        await ReadRowsAsync(text, cancellationToken);
        return new TextResultSet(text.Columns, text.Rows);
    }

    public async ValueTask ReadRowsAsync(IRowSink rows, CancellationToken cancellationToken, long maxBytes = MaxResultBytes)
    {
        _resultLeft = maxBytes;
        var status = await ReadResultAsync(rows, cancellationToken);
        for (var count = 1; (status & MoreResultsExist) != 0; count++)
        {
            ProtocolViolation.ThrowIf(count == MaxResults, "its answers do not come to an end");

            status = await ReadResultAsync(null, cancellationToken);
        }
    }

    /// <summary>Counts the rows of a prepared statement's answer (MySQL "Binary Protocol Resultset"). Keeps nothing, so a result may have
    /// any length.</summary>
    public async ValueTask<ResultTotals> ReadTotalsAsync(CancellationToken cancellationToken)
    {
        _resultLeft = long.MaxValue;
        _totals.Clear();
        return (await ReadResultAsync(_totals, cancellationToken) & MoreResultsExist) == 0
            ? _totals.Value
            : throw ProtocolViolation.Of("several answers came to one prepared statement");
    }

    public async ValueTask<(uint Id, int ParameterCount, int Warnings)> ReadPreparedAsync(CancellationToken cancellationToken)
    {
        var (id, parameterCount, columnCount, warnings) = ParsePrepared(
            (await ReadPacketAsync(MaxShortPacket, cancellationToken)).Span);
        await SkipDescriptionsAsync(parameterCount, cancellationToken);
        await SkipDescriptionsAsync(columnCount, cancellationToken);
        return (id, parameterCount, warnings);
    }

    /// <summary>Waits until the server asks for a file (MySQL "Protocol::LOCAL INFILE Request").</summary>
    public async ValueTask ReadLocalRequestAsync(ReadOnlyMemory<byte> expectedName, CancellationToken cancellationToken)
    {
        var payload = await ReadPacketAsync(MaxShortPacket, cancellationToken);
        ProtocolViolation.ThrowIf(payload.Span[0] != LocalHeader, "it did not ask for the content of LOAD DATA LOCAL");

        if (!payload.Span[1..].SequenceEqual(expectedName.Span))
        {
            await RefuseLocalAsync(cancellationToken);
        }
    }

    private async ValueTask RefuseLocalAsync(CancellationToken cancellationToken)
    {
        wire.TakeTurn();
        await wire.Writer.WriteAsync(ReadOnlyMemory<byte>.Empty, cancellationToken);
        throw ProtocolViolation.Of("it asked for a local file that was not offered; nothing was sent");
    }

    /// <summary>Returns the status flags after the rows.</summary>
    private async ValueTask<ushort> ReadResultAsync(IRowSink? rows, CancellationToken cancellationToken)
    {
        var head = await ReadPacketAsync(MaxShortPacket, cancellationToken);
        switch (head.Span[0])
        {
            case OkPacket.Header:
                return ParseOk(head.Span).Status;
            case LocalHeader:
                await RefuseLocalAsync(cancellationToken);
                break;
        }

        var count = ParseColumnCount(head.Span);
        for (var i = 0; i < count; i++)
        {
            var definition = await ReadPacketAsync(MaxShortPacket, cancellationToken);
            Charge(RowOverhead + definition.Length);
            rows?.AddColumn(definition.Span);
        }

        await SkipEofAsync(cancellationToken);
        while (true)
        {
            var payload = await ReadPacketAsync(MaxResultBytes, cancellationToken);
            if (IsEnd(payload.Span))
            {
                return ParseEndStatus(payload.Span);
            }

            Charge(RowOverhead + payload.Length + ((long)count * ValueOverhead));
            rows?.AddRow(payload.Span, count);
        }
    }

    private async ValueTask SkipDescriptionsAsync(int count, CancellationToken cancellationToken)
    {
        for (var i = 0; i < count; i++)
        {
            await ReadPacketAsync(MaxShortPacket, cancellationToken);
        }

        if (count > 0)
        {
            await SkipEofAsync(cancellationToken);
        }
    }

    private ValueTask SkipEofAsync(CancellationToken cancellationToken) =>
        deprecatesEof ? ValueTask.CompletedTask : ReadEofAsync(cancellationToken);

    private async ValueTask ReadEofAsync(CancellationToken cancellationToken)
    {
        if (!IsEnd((await ReadPacketAsync(MaxShortPacket, cancellationToken)).Span))
        {
            throw ProtocolViolation.Of("the descriptions of a result do not end where they should");
        }
    }

    /// <summary>Allocates no task if the packet is there.</summary>
    private ValueTask<ReadOnlyMemory<byte>> ReadPacketAsync(int limit, CancellationToken cancellationToken)
    {
        var reading = wire.Reader.ReadAsync(limit, cancellationToken);
        return reading.IsCompletedSuccessfully ? new(RequireContent(reading.Result)) : WaitForPacketAsync(reading);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadOnlyMemory<byte>> WaitForPacketAsync(ValueTask<ReadOnlyMemory<byte>> reading) =>
        RequireContent(await reading);

    private ReadOnlyMemory<byte> RequireContent(ReadOnlyMemory<byte> payload) => payload.Span switch
    {
        [] => throw ProtocolViolation.Of("an empty packet came as an answer"),
        [ErrorPacket.Header, ..] when wire.Reader.IsClosingError => throw ClosingError.Of(ErrorPacket.Parse(payload.Span)),
        [ErrorPacket.Header, ..] => throw ErrorPacket.Parse(payload.Span),
        _ => payload,
    };

    // A row whose first value is 16 MiB or longer also starts with 0xfe.
    private bool IsEnd(ReadOnlySpan<byte> payload) =>
        payload[0] == EofHeader && payload.Length < (deprecatesEof ? PacketReader.MaxPacketPayload : 9);

    // Some proxies send the EOF packet that both sides have agreed to do without; an OK packet is longer.
    private ushort ParseEndStatus(ReadOnlySpan<byte> payload)
    {
        if (deprecatesEof && payload.Length > EofLength)
        {
            return ParseOk(payload).Status;
        }

        var reader = new PayloadReader(payload[1..]);
        reader.ReadUInt16();
        var status = reader.ReadUInt16();
        transaction?.Observe(status, affectedRows: 0);
        return status;
    }

    private OkResult ParseOk(ReadOnlySpan<byte> payload)
    {
        var answer = _ok.Parse(payload);
        transaction?.Observe(answer.Status, answer.AffectedRows);
        return answer;
    }

    private void Charge(long bytes)
    {
        _resultLeft -= bytes;
        if (_resultLeft < 0)
        {
            throw ProtocolViolation.Of($"the answer to a look-up is larger than {MaxResultBytes / (1024 * 1024)} MiB");
        }
    }

    private static int ParseColumnCount(ReadOnlySpan<byte> payload)
    {
        var count = new PayloadReader(payload).ReadLengthEncoded();
        return count is > 0 and <= MaxColumns ? (int)count : throw ProtocolViolation.Of($"a result has {count} columns");
    }

    private static (uint Id, int ParameterCount, int ColumnCount, int Warnings) ParsePrepared(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        ProtocolViolation.ThrowIf(reader.ReadByte() != OkPacket.Header, "an unknown packet came as the answer to a prepare");

        var id = reader.ReadUInt32();
        var columnCount = reader.ReadUInt16();
        var parameterCount = reader.ReadUInt16();
        const int fillerAndWarnings = 3;
        return (id, parameterCount, columnCount, reader.Remaining < fillerAndWarnings
            ? 0
            : BinaryPrimitives.ReadUInt16LittleEndian(reader.ReadBytes(fillerAndWarnings)[1..]));
    }
}
