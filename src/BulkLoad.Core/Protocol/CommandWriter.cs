using System.Buffers.Binary;

namespace BulkLoad.Core.Protocol;

/// <summary>Writes commands (MySQL client/server protocol, "Text Protocol" and "Prepared Statements").</summary>
internal sealed class CommandWriter(PacketConnection wire)
{
    public const byte Query = 0x03;

    public const byte Execute = 0x17;

    public const int ExecuteHeadLength = 10;

    private const byte Quit = 0x01;
    private const byte StatementPrepare = 0x16;
    private const byte StatementClose = 0x19;
    private const byte StatementBulkExecute = 0xfa;
    private const ushort BulkTypesFollow = 128;
    private const int LocalPacketLength = 128 * 1024;

    private readonly byte[] _head = new byte[ExecuteHeadLength];
    private readonly byte[] _flag = new byte[1];

    public ValueTask QueryAsync(ReadOnlyMemory<byte> statement, CancellationToken cancellationToken) =>
        WriteAsync(Query, statement, cancellationToken);

    /// <summary>Writes a statement that is sent together with the next one, and returns the sequence id of its answer.</summary>
    public async ValueTask<byte> QueryAheadAsync(ReadOnlyMemory<byte> statement, CancellationToken cancellationToken)
    {
        BeginCommand(Query);
        await wire.Writer.PutAsync([_head.AsMemory(0, 1), statement], cancellationToken);
        return wire.Writer.Sequence;
    }

    public ValueTask PrepareAsync(ReadOnlyMemory<byte> statement, CancellationToken cancellationToken) =>
        WriteAsync(StatementPrepare, statement, cancellationToken);

    public ValueTask CloseAsync(PreparedStatement statement, CancellationToken cancellationToken)
    {
        var id = new byte[4];
        BinaryPrimitives.WriteUInt32LittleEndian(id, statement.Id);
        return WriteAsync(StatementClose, id, cancellationToken);
    }

    public ValueTask QuitAsync(CancellationToken cancellationToken) => WriteAsync(Quit, ReadOnlyMemory<byte>.Empty, cancellationToken);

    /// <summary>The bytes before the parameters of an execution (MySQL "COM_STMT_EXECUTE", MariaDB "COM_STMT_BULK_EXECUTE"). NULL bitmap,
    /// flag, types and values follow. Returns the used length of <paramref name="head"/> (10 bytes) and <paramref name="flag"/> (1
    /// byte).</summary>
    public static (int HeadLength, int FlagLength) FillHead(
        Span<byte> head, Span<byte> flag, PreparedStatement statement, BinaryParameters parameters, bool typesFollow)
    {
        const int iterations = 1;
        BinaryPrimitives.WriteUInt32LittleEndian(head[1..], statement.Id);
        if (parameters is BulkParameters)
        {
            head[0] = StatementBulkExecute;
            BinaryPrimitives.WriteUInt16LittleEndian(head[5..], typesFollow ? BulkTypesFollow : (ushort)0);
            return (7, 0);
        }

        head[0] = Execute;
        head[5] = 0; // no cursor
        BinaryPrimitives.WriteUInt32LittleEndian(head[6..], iterations);
        flag[0] = typesFollow ? (byte)1 : (byte)0;
        return (ExecuteHeadLength, parameters.Count > 0 ? 1 : 0);
    }

    public ValueTask ExecuteAsync(PreparedStatement statement, BinaryParameters parameters, CancellationToken cancellationToken)
    {
        var types = statement.KnowsTypesOf(parameters) ? default : parameters.Types;
        var (headLength, flagLength) = FillHead(_head, _flag, statement, parameters, !types.IsEmpty);
        wire.Writer.Sequence = 0;
        return wire.Writer.WriteAsync(
            [_head.AsMemory(0, headLength), parameters.Nulls, _flag.AsMemory(0, flagLength), types, parameters.Values], cancellationToken);
    }

    /// <summary>Writes content of a file, and its end (MySQL "Protocol::LOCAL INFILE Data"). A server that answers before the end has given
    /// up. Then the end is not written, since the server would take the content as complete, and an <see cref="IOException"/> is
    /// thrown.</summary>
    public async ValueTask LocalContentAsync(ReadOnlyMemory<byte> content, CancellationToken cancellationToken)
    {
        var answer = wire.Reader.WatchAsync(cancellationToken);
        while (!content.IsEmpty)
        {
            var packet = content[..Math.Min(content.Length, LocalPacketLength)];
            content = content[packet.Length..];
            await WriteUnlessAnsweredAsync(packet, answer, cancellationToken);
        }

        await WriteUnlessAnsweredAsync(ReadOnlyMemory<byte>.Empty, answer, cancellationToken);
    }

    private async ValueTask WriteUnlessAnsweredAsync(ReadOnlyMemory<byte> packet, Task answer, CancellationToken cancellationToken)
    {
        if (!answer.IsCompleted)
        {
            var writing = wire.Writer.WriteAsync(packet, cancellationToken);
            if (writing.IsCompletedSuccessfully)
            {
                return;
            }

            var written = writing.AsTask();
            if (await Task.WhenAny(written, answer) == written || packet.IsEmpty)
            {
                await written;
                return;
            }

            // The content belongs to the caller, so nothing may read from it after this call.
            wire.Close();
            await written.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        throw new IOException("the server stopped before it had the whole content");
    }

    private ValueTask WriteAsync(byte command, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        BeginCommand(command);
        return wire.Writer.WriteAsync([_head.AsMemory(0, 1), body], cancellationToken);
    }

    private void BeginCommand(byte command)
    {
        wire.Writer.Sequence = 0;
        _head[0] = command;
    }
}

/// <summary>UTF-8 is the character set of all sessions.</summary>
internal static class StatementText
{
    // A lone surrogate must not silently become a question mark in a statement.
    private static readonly UTF8Encoding StrictUtf8 = new(false, throwOnInvalidBytes: true);

    /// <summary>Is called before anything is sent: a text that cannot be sent leaves the session as it was.</summary>
    public static byte[] Encode(string text)
    {
        try
        {
            return StrictUtf8.GetBytes(text);
        }
        catch (EncoderFallbackException fault)
        {
            throw new RequestException(
                $"a name or text cannot be sent to the server: character {fault.Index + 1} of its statement is half a character "
                    + $"(U+{(int)fault.CharUnknown:X4})");
        }
    }

    public static byte[]? EncodeAny(string? text) => text is null ? null : Encode(text);
}
