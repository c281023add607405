namespace BulkLoad.Core.Protocol;

/// <summary>How long a session waits for an answer.</summary>
internal enum AnswerBound
{
    /// <summary>As long as the connection lasts.</summary>
    None,

    /// <summary>As long as connecting may take: what is asked is answered at once.</summary>
    LookUp,

    /// <summary>That, and as long as the server waits for a lock: what is asked may need one.</summary>
    Lock,

    /// <summary>As long as the user allows a statement (<see cref="ConnectionOptions.ReadTimeout"/>).</summary>
    Statement,
}
