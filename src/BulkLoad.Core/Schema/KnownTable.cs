using static BulkLoad.Core.Common.ServerError;

namespace BulkLoad.Core.Schema;

/// <summary>The table that people know, where another one is loaded in its place: a text of the server about that one gets the
/// names of this one. Pure.</summary>
/// <param name="Other">name of the table that is loaded, in the same database</param>
/// <param name="Name">of the table that people know</param>
internal sealed record KnownTable(string Other, string Name)
{
    /// <summary>Foreign keys and CHECKs whose names differ: that in the other table, and the known one.</summary>
    public IReadOnlyList<(string Other, string Known)> Constraints { get; init; } = [];

    /// <param name="error">whose text it is: only some name a constraint, and others have values of the user</param>
    public string Reword(ServerError error, string text)
    {
        // Before the table: the server makes names of constraints from the table's.
        if (error is CheckConstraintViolated or ConstraintFailed or NoReferencedRow2 or RowIsReferenced2 or ForeignKeyFailed)
        {
            foreach (var (other, known) in Constraints)
            {
                text = text.Replace(SqlName.Quote(other), SqlName.Quote(known), StringComparison.Ordinal)
                    .Replace($"'{other}'", $"'{known}'", StringComparison.Ordinal);
            }
        }

        return text.Replace(SqlName.Quote(Other), SqlName.Quote(Name), StringComparison.Ordinal)
            .Replace(Other, Name, StringComparison.Ordinal);
    }
}
