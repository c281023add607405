using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>The foreign keys that a preview has to do with.</summary>
/// <param name="Own">of the table</param>
/// <param name="Others">of tables that refer to it, each with the database of its table</param>
internal sealed record PreviewReferences(
    IReadOnlyList<SeedReference> Own, IReadOnlyList<(string Database, SeedReference Key)> Others)
{
    public static async Task<PreviewReferences> FindAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        var (database, name) = (table.Database, table.Name);
        string[] questions = [ConstraintSql.ReferencesOf(database, name), ConstraintSql.ReferencesTo(database, name)];
        var answers = await session.QueryAllAsync(questions, cancellationToken);
        var own = SeedReference.Read(answers[0].Rows).Select(one => one.Reference);
        return new PreviewReferences([.. own], SeedReference.Read(answers[1].Rows));
    }
}
