using System.Buffers;
using System.Text;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Sql;

/// <summary>INSERT ... VALUES (MySQL manual, "INSERT Statement").</summary>
internal static class InsertSql
{
    /// <summary>Up to and including the word VALUES.</summary>
    public static string Head(string database, string table, IEnumerable<string> columns) =>
        $"INSERT INTO {SqlName.Quote(database, table)} ({SqlName.List(columns)}) VALUES ";

    /// <summary>What stands behind every row's own values: the expressions of the last columns of <see cref="Head"/>.</summary>
    public static string Tail(IEnumerable<ColumnAssignment> assignments) =>
        string.Concat(assignments.Select(assignment => $",({assignment.Expression})"));

    /// <summary>A statement with a placeholder for each value of so many rows.</summary>
    /// <param name="head">from <see cref="Head"/></param>
    /// <param name="columns">values of a row's own</param>
    /// <param name="tail">from <see cref="Tail"/></param>
    /// <param name="rows">at least 1</param>
    public static string Prepared(string head, int columns, string tail, int rows)
    {
        var row = new StringBuilder("(?").Insert(2, ",?", columns - 1).Append(tail).Append(')');
        var text = new StringBuilder(head, head.Length + ((row.Length + 1) * rows));
        for (var i = 0; i < rows; i++)
        {
            text.Append(i == 0 ? "" : ",").Append(row);
        }

        return text.ToString();
    }

    /// <summary>Writes rows as literals: every value in quotes, so that the column alone decides what it is.</summary>
    public static void WriteRows(IBufferWriter<byte> output, RowBlock block, int from, int rows, ReadOnlySpan<byte> tail)
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

                switch (block.Get(row, column, out var value))
                {
                    case CellState.Null:
                        output.Write("NULL"u8);
                        break;
                    case CellState.Default:
                        output.Write("DEFAULT"u8);
                        break;
                    default:
                        SqlLiteral.Write(output, value);
                        break;
                }
            }

            output.Write(tail);
            output.Write(")"u8);
        }
    }
}
