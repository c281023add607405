using System.Buffers;
using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Sql;

/// <summary>INSERT ... VALUES (MySQL manual, "INSERT Statement").</summary>
internal static class InsertSql
{
    /// <summary>Up to and including the word VALUES.</summary>
    public static string Head(string database, string table, IEnumerable<string> columns) =>
        $"INSERT INTO {SqlName.Quote(database, table)} ({SqlName.List(columns)}) VALUES ";

    /// <summary>As <see cref="Head"/>, of a REPLACE (MySQL manual, "REPLACE Statement").</summary>
    public static string ReplaceHead(string database, string table, IEnumerable<string> columns) =>
        $"REPLACE INTO {SqlName.Quote(database, table)} ({SqlName.List(columns)}) VALUES ";

    /// <summary>What stands behind every row's own values: the expressions of the last columns of <see cref="Head"/>.</summary>
    public static string Tail(IEnumerable<ColumnAssignment> assignments) =>
        string.Concat(assignments.Select(assignment => $",({assignment.Expression})"));

    /// <summary>A statement with a placeholder for each value of so many rows.</summary>
    /// <param name="head">from <see cref="Head"/> or <see cref="ReplaceHead"/></param>
    /// <param name="columns">of a row's own values</param>
    /// <param name="tail">from <see cref="Tail"/></param>
    /// <param name="rows">at least 1</param>
    /// <param name="ending">what follows the rows, from <see cref="DuplicateSql"/></param>
    public static string Prepared(string head, IReadOnlyList<TableColumn> columns, string tail, int rows, string ending = "")
    {
        var row = $"({string.Join(',', columns.Select(ValueSql.Placeholder))}{tail})";
        var text = new StringBuilder(head, head.Length + ((row.Length + 1) * rows));
        for (var i = 0; i < rows; i++)
        {
            text.Append(i == 0 ? "" : ",").Append(row);
        }

        return text.Append(ending).ToString();
    }

    /// <summary>Writes rows as literals: every value in quotes, so that the column alone decides what it is; bits as their number.</summary>
    /// <param name="output">takes the text</param>
    /// <param name="forms">of the rows' columns</param>
    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    /// <param name="tail">from <see cref="Tail"/></param>
    public static void WriteRows(
        IBufferWriter<byte> output, IReadOnlyList<LiteralForm> forms, RowBlock block, int from, int rows, ReadOnlySpan<byte> tail)
    {
        for (var row = from; row < from + rows; row++)
        {
            output.Write(row == from ? "("u8 : ",("u8);
            for (var column = 0; column < block.ColumnCount; column++)
            {
                if (column > 0)
                {
                    output.Write(","u8);
                }

                forms[column].Write(output, block, row, column);
            }

            output.Write(tail);
            output.Write(")"u8);
        }
    }
}
