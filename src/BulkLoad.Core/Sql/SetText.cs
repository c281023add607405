using System.Buffers;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Expressions of <c>--set</c> in a statement, with room for the fields that they read. Every field is written <c>CAST(... AS
/// CHAR)</c>, whatever it comes from (a placeholder, a literal, a variable, a column of a list): so it has the same type, character set,
/// collation and coercibility everywhere, and an expression has the same value.</summary>
internal sealed class SetText
{
    private readonly string[] _texts;
    private readonly byte[][] _bytes;

    private SetText(List<string> texts, List<int> places)
    {
        _texts = [.. texts];
        _bytes = [.. texts.Select(Encoding.UTF8.GetBytes)];
        Places = [.. places];
    }

    public static SetText None { get; } = new([""], []);

    /// <summary>The place in a row of each field, in the order in which the text reads them.</summary>
    public int[] Places { get; }

    public bool IsEmpty => _texts is [""];

    /// <summary>Bytes around the values.</summary>
    public int ByteCount => _bytes.Sum(bytes => bytes.Length) + (Places.Length * "''".Length);

    /// <summary>How often the most frequent field is read.</summary>
    public int MaxReads => Places.Length == 0 ? 0 : Places.GroupBy(place => place).Max(group => group.Count());

    /// <param name="row">the values of a row: columns, and behind them fields that expressions read</param>
    public static SetText Of(IEnumerable<ColumnAssignment> assignments, IReadOnlyList<TableColumn> row,
        Func<ColumnAssignment, string> before, string behind, string between = "")
    {
        var (texts, places, text) = (new List<string>(), new List<int>(), new StringBuilder());
        foreach (var assignment in assignments)
        {
            text.Append(text.Length + texts.Count == 0 ? "" : between).Append(before(assignment));
            var from = 0;
            foreach (var token in SqlTokens.Of(assignment.Expression).Where(token => token.Kind == SqlTokenKind.Variable))
            {
                texts.Add(text.Append(assignment.Expression, from, token.Start - from).Append("CAST(").ToString());
                places.Add(PlaceOf(token.Name, row));
                text.Clear().Append(" AS CHAR)");
                from = token.End;
            }

            text.Append(assignment.Expression, from, assignment.Expression.Length - from).Append(behind);
        }

        texts.Add(text.ToString());
        return new SetText(texts, places);
    }

    /// <summary>Assignments to columns of a table, each with its expression in parentheses.</summary>
    /// <param name="table">before a column's name: nothing, or the table's name and a dot</param>
    public static SetText Assign(IEnumerable<ColumnAssignment> assignments, IReadOnlyList<TableColumn> row, string table = "") =>
        Of(assignments, row, assignment => $"{table}{SqlName.Quote(assignment.Column)}=(", ")", ",");

    public static IEnumerable<string> Each(
        IEnumerable<ColumnAssignment> assignments, IReadOnlyList<TableColumn> row, string table, Func<int, string> write) =>
        assignments.Select(assignment => Assign([assignment], row, table).With(write));

    public string With(Func<int, string> write)
    {
        var text = new StringBuilder(_texts[0]);
        for (var i = 0; i < Places.Length; i++)
        {
            text.Append(write(Places[i])).Append(_texts[i + 1]);
        }

        return text.ToString();
    }

    public string Prepared() => With(_ => "?");

    public void Write(IBufferWriter<byte> output, RowBlock block, int row)
    {
        output.Write(_bytes[0]);
        for (var i = 0; i < Places.Length; i++)
        {
            if (block.Get(row, Places[i], out var value) == CellState.Null)
            {
                output.Write("NULL"u8);
            }
            else
            {
                SqlLiteral.Write(output, value);
            }

            output.Write(_bytes[i + 1]);
        }
    }

    private static int PlaceOf(string name, IReadOnlyList<TableColumn> row)
    {
        for (var i = 0; i < row.Count; i++)
        {
            if (row[i].IsField && SetFields.Names.Equals(row[i].Name, $"@{name}"))
            {
                return i;
            }
        }

        throw new InvalidOperationException($"no field fills @{name}; the request should have been refused");
    }
}
