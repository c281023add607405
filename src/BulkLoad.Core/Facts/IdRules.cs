using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>When it is known which id the server has generated for which record. An INSERT of several rows whose number is known gets
/// consecutive ids, in their order and <c>auto_increment_increment</c> apart, whatever <c>innodb_autoinc_lock_mode</c> is, unless some of
/// its rows have an id already; the answer has the first one (MySQL manual, "AUTO_INCREMENT Handling in InnoDB"; MariaDB's InnoDB does the
/// same). Pure.</summary>
internal static class IdRules
{
    /// <summary>Of other strategies.</summary>
    public const string OnlyByInserts = "--ids-file: only an INSERT tells the ids of its rows";

    /// <summary>Why it is not known, for people; null: it is, or nobody asks.</summary>
    public static string? FindObstacle(LoadFacts facts)
    {
        if (!facts.Request.KeepsIds || !facts.Request.Mode.SendsRows)
        {
            return null;
        }

        var table = facts.Table;
        var id = table.NumberColumn;
        var obstacle = id is null ? $"{table.DisplayName} has no AUTO_INCREMENT column: the server generates no ids"
            : facts.IndexOf(table.Find(id)) >= 0 ? $"the input has the values of '{id}', so that the server generates none: leave that "
                + "out, or map the field to no column"
            : facts.Request.Assigns(id) ? $"--set {id} gives the rows their ids: leave that or this out"
            : !table.UndoesBatches ? $"engine {table.Engine} of {table.DisplayName} does not promise consecutive ids"
            : table.InsertTriggers.FirstOrDefault(TableFacts.RunsBefore) is { } trigger
                ? $"trigger {trigger} may give the rows other ids than the server has generated"
            : null;
        return obstacle is null ? null : $"--ids-file: {obstacle}";
    }
}
