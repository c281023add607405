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

    /// <summary>A statement with a placeholder for each value of so many rows.</summary>
    public static string Prepared(string head, int columns, int rows)
    {
        var row = new StringBuilder("(").Insert(1, "?,", columns);
        row[^1] = ')';
        var text = new StringBuilder(head, head.Length + ((row.Length + 1) * rows));
        for (var i = 0; i < rows; i++)
        {
            text.Append(i == 0 ? "" : ",").Append(row);
        }

        return text.ToString();
    }

    /// <summary>Writes rows as literals: every value in quotes, so that the column alone decides what it is.</summary>
    public static void WriteRows(IBufferWriter<byte> output, RowBlock block, int from, int rows)
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

            output.Write(")"u8);
        }
    }
}
