using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Inference;

/// <summary>Fields without a column in the table. Pure.</summary>
internal static class UnknownFields
{
    /// <summary>Whether fields may become columns. No, if no field has a column: the first line is no header, or the file is another
    /// table's. No, if a name differs by blanks from a column's, or fields have no names.</summary>
    public static bool MayBeColumns(SourceInfo look, LoadRequest request, TableFacts table)
    {
        var isJson = look.Format.IsJson();
        if (look.IsEmpty || (!isJson && look.FieldNames is null && request.Columns is not { Count: > 0 }))
        {
            return false;
        }

        var fields = new FieldColumns(look, request);
        fields.Extend(look.FieldNames, look.FieldNames?.Count ?? look.FieldCount);
        string[] targets = [.. fields.Targets.OfType<string>()];
        return targets.Any(name => table.Find(name) is not null)
            && (isJson || targets.Any(name => table.Find(name) is null))
            && targets.All(name => table.Find(name) is not null || table.Find(name.Trim()) is null);
    }
}
