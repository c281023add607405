namespace BulkLoad.Core.Protocol;

/// <summary>Valid on one session only: on another its number means another statement, or none.</summary>
internal sealed class PreparedStatement(IServerSession session, uint id, int parameterCount)
{
    private ReadOnlyMemory<byte> _types;

    public uint Id => id;

    public int ParameterCount => parameterCount;

    /// <summary>Of its preparation, such as for deprecated syntax. An execution as text has them again.</summary>
    public int Warnings { get; init; }

    internal void RequireSession(IServerSession user)
    {
        if (!ReferenceEquals(user, session))
        {
            throw new InvalidOperationException("the statement was prepared on another session");
        }
    }

    internal void RequireFilled(BinaryParameters parameters)
    {
        if (!parameters.IsComplete || parameters.Count != parameterCount)
        {
            throw new ArgumentException(
                $"{parameters.Filled} of {parameters.Count} parameters are filled, {parameterCount} are needed", nameof(parameters));
        }
    }

    internal static void RequireBulk(IServerSession session)
    {
        if (!session.Server.TakesBulkExecutions)
        {
            throw new InvalidOperationException("the server takes no bulk executions");
        }
    }

    internal bool KnowsTypesOf(BinaryParameters parameters) =>
        _types.Equals(parameters.Types) || _types.Span.SequenceEqual(parameters.Types.Span);

    /// <summary>None: nobody knows which types the server has.</summary>
    internal void LearnTypes(ReadOnlyMemory<byte> types) => _types = types;

    /// <summary>The server knows the types once the execution has run. Allocates no task if it has.</summary>
    internal ValueTask<TResult> LearnTypesAsync<TResult>(ValueTask<TResult> running, BinaryParameters parameters)
    {
        if (!running.IsCompletedSuccessfully)
        {
            return LearnTypesLaterAsync(running, parameters);
        }

        LearnTypes(parameters.Types);
        return running;
    }

    private async ValueTask<TResult> LearnTypesLaterAsync<TResult>(ValueTask<TResult> running, BinaryParameters parameters)
    {
        var result = await running;
        LearnTypes(parameters.Types);
        return result;
    }
}
