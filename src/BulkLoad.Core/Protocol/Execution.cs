namespace BulkLoad.Core.Protocol;

/// <summary>What is executed: a statement's text, or a prepared statement.</summary>
/// <param name="Prologue">goes out in one piece with it; null: nothing does</param>
/// <param name="Text">where nothing is prepared</param>
/// <param name="Statement">where it is</param>
/// <param name="Parameters">of the prepared one</param>
internal readonly record struct Execution(byte[]? Prologue, ReadOnlyMemory<byte> Text, PreparedStatement? Statement = null, BinaryParameters? Parameters = null)
{
    /// <summary>Writes the command, behind a prologue that is written already.</summary>
    public ValueTask WriteAsync(CommandWriter commands, CancellationToken cancellationToken) => Statement is null
        ? commands.QueryAsync(Text, cancellationToken)
        : commands.ExecuteAsync(Statement, Parameters!, cancellationToken);
}
