using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Values;

namespace BulkLoad.Core.Jobs;

/// <summary>What the job assumes of the fields of an input, by its first records, for people.</summary>
internal static class FieldNotes
{
    public static IEnumerable<string> Of(LoadSource source, LoadRequest request)
    {
        var name = source.Look.Name;
        foreach (var (column, _) in source.Bits)
        {
            yield return
                $"{name}: fields of the BIT column '{column}' are taken for its bytes (--binary {column}=number: they are numbers)";
        }

        var texts = source.Mapping.Columns.Where((column, i) => column.IsCharacter
            && source.Look.Fields.ElementAtOrDefault(source.Mapping.FieldOf[i]) is { NullMatcher: > 0 }
            && !new NullMatcher(request.Values, column.Name).Contain("NULL"u8)).Select(column => $"'{column.Name}'").ToArray();
        if (texts.Length > 0)
        {
            yield return $"{name}: the word NULL in {Plural.For(texts.Length, "column")} {string.Join(", ", texts)} is text "
                + "(--null-value NULL: it is NULL)";
        }
    }
}
