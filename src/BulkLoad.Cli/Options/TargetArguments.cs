using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>The table, and what becomes of the rows that are there.</summary>
internal sealed class TargetArguments : ArgumentGroup
{
    private readonly Option<string?> _table;
    private readonly Option<DuplicateMode?>? _onDuplicate;

    /// <param name="makesRows">whether the command does; else no record can be a duplicate</param>
    /// <param name="hasDuplicates">whether it says what becomes of them</param>
    public TargetArguments(bool makesRows = true, bool hasDuplicates = true) : base("Table")
    {
        _table = Text("--table", "NAME", makesRows
            ? "table or database.table (default: the file's base name, as with mysqlimport; several files must have the same)"
            : "table or database.table; has to be named");
        _onDuplicate = !makesRows || !hasDuplicates ? null : Value(
            "--on-duplicate",
            "WHAT",
            "a record whose primary or unique key already exists: error (default) rejects it, ignore skips it, replace replaces the row, "
                + "update gives the row its values",
            text => OptionParsers.Choice<DuplicateMode>(text, [.. DuplicateWords.All]));
    }

    public TargetWords Bind(ParseResult words) =>
        new(words.GetValue(_table), (_onDuplicate is null ? null : words.GetValue(_onDuplicate)) ?? DuplicateMode.Error);
}

/// <summary>The target as typed.</summary>
/// <param name="Table">null: not typed</param>
/// <param name="OnDuplicate">what becomes of duplicates</param>
internal sealed record TargetWords(string? Table, DuplicateMode OnDuplicate);
