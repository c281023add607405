using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <param name="Own">of the table</param>
/// <param name="Others">of tables that refer to it</param>
internal sealed record PreviewReferences(IReadOnlyList<ForeignKey> Own, IReadOnlyList<ForeignKey> Others)
{
    public static async Task<PreviewReferences> FindAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        var (database, name) = (table.Database, table.Name);
        string[] questions = [ConstraintSql.ReferencesOf(database, name), ConstraintSql.ReferencesTo(database, name)];
        var answers = await session.QueryAllAsync(questions, cancellationToken);
        return new PreviewReferences(ForeignKey.Read(answers[0].Rows), ForeignKey.Read(answers[1].Rows));
    }
}
