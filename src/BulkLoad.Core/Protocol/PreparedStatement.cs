namespace BulkLoad.Core.Protocol;

/// <summary>A statement prepared on one session; on any other its number means another statement, or none.</summary>
/// <param name="session">where it was prepared</param>
/// <param name="parameterCount">number of placeholders, at most 65,535</param>
internal sealed class PreparedStatement(IServerSession session, uint id, int parameterCount)
{
    private ReadOnlyMemory<byte> _types;

    public uint Id => id;

    public int ParameterCount => parameterCount;

    /// <summary>What the server has to say against its text, such as that it is deprecated; each execution as text says so again.</summary>
    public int Warnings { get; init; }

    /// <exception cref="InvalidOperationException">it was prepared on another session</exception>
    internal void RequireSession(IServerSession user)
    {
        if (!ReferenceEquals(user, session))
        {
            throw new InvalidOperationException("the statement was prepared on another session");
        }
    }

    /// <exception cref="ArgumentException">not every placeholder has a value</exception>
    internal void RequireFilled(BinaryParameters parameters)
    {
        if (!parameters.IsComplete || parameters.Count != parameterCount)
        {
            throw new ArgumentException(
                $"{parameters.Filled} of {parameters.Count} parameters are filled, {parameterCount} are needed", nameof(parameters));
        }
    }

    /// <exception cref="InvalidOperationException">the server of the session takes no bulk executions</exception>
    internal static void RequireBulk(IServerSession session)
    {
        if (!session.Server.TakesBulkExecutions)
        {
            throw new InvalidOperationException("the server takes no bulk executions");
        }
    }

    /// <summary>Whether the server already knows these parameters' types, so that they need not be sent again.</summary>
    internal bool KnowsTypesOf(BinaryParameters parameters) =>
        _types.Equals(parameters.Types) || _types.Span.SequenceEqual(parameters.Types.Span);

    /// <summary>The server has taken an execution with these types; none: nobody knows which it has heard last.</summary>
    internal void LearnTypes(ReadOnlyMemory<byte> types) => _types = types;

    /// <summary>The server knows the types of an execution once that has run. No task where it has.</summary>
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
