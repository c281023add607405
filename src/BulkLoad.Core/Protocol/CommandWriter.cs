using System.Buffers.Binary;

namespace BulkLoad.Core.Protocol;

/// <summary>Writes commands (MySQL client/server protocol, "Text Protocol" and "Prepared Statements").</summary>
internal sealed class CommandWriter(PacketConnection wire)
{
    /// <summary>COM_QUERY.</summary>
    public const byte Query = 0x03;

    /// <summary>COM_STMT_EXECUTE.</summary>
    public const byte Execute = 0x17;

    /// <summary>Most bytes before the parameters of an execution.</summary>
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

    /// <summary>Writes a statement that goes out together with the next one; returns the sequence id of its answer.</summary>
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

    /// <summary>
    /// What stands before the parameters of an execution (MySQL "COM_STMT_EXECUTE", MariaDB "COM_STMT_BULK_EXECUTE"). Behind it come the
    /// NULL bitmap, the flag, the types and the values, as far as the form has them.
    /// </summary>
    /// <param name="head">of <see cref="ExecuteHeadLength"/> bytes</param>
    /// <param name="flag">one byte</param>
    /// <param name="parameters">of one execution, or of many rows</param>
    /// <param name="typesFollow">whether the server has not heard these types</param>
    /// <returns>how much of both is in use</returns>
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

    /// <summary>
    /// Writes a file's content, behind what was written of it before, and its end (MySQL "Protocol::LOCAL INFILE Data"). A server that
    /// answers before the end has given up; the end is then not written, since the server would take what it has for the whole.
    /// </summary>
    /// <param name="isEnd">whether they are the last</param>
    /// <exception cref="IOException">the server answered before the end, or is gone</exception>
    public async ValueTask LocalContentAsync(ReadOnlyMemory<byte> content, bool isEnd, CancellationToken cancellationToken)
    {
        var answer = wire.Reader.WatchAsync(cancellationToken);
        while (!content.IsEmpty)
        {
            var packet = content[..Math.Min(content.Length, LocalPacketLength)];
            content = content[packet.Length..];
            await WriteUnlessAnsweredAsync(packet, answer, cancellationToken);
        }

        if (isEnd)
        {
            await WriteUnlessAnsweredAsync(ReadOnlyMemory<byte>.Empty, answer, cancellationToken);
        }
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

/// <summary>Texts as they travel: UTF-8, which is the character set of all sessions.</summary>
internal static class StatementText
{
    // A lone surrogate must not silently become a question mark in a statement.
    private static readonly UTF8Encoding StrictUtf8 = new(false, throwOnInvalidBytes: true);

    /// <summary>Before anything is sent, so that a text which cannot be leaves the session as it was.</summary>
    /// <exception cref="RequestException">half of a character stands in it</exception>
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

    /// <summary>Of a statement that there may be.</summary>
    public static byte[]? EncodeAny(string? text) => text is null ? null : Encode(text);
}
