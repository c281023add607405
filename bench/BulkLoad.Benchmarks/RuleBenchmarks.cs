using BenchmarkDotNet.Attributes;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Rules;
using BulkLoad.DataSet;

namespace BulkLoad.Benchmarks;

/// <summary>
/// All rules of the data set's columns together, without reading: a million rows may take 0.4 s of a processor, which is 400 ns a row.
/// </summary>
[MemoryDiagnoser]
public class RuleBenchmarks
{
    private readonly List<int> _ends = [];
    private ValueRule[] _rules = [];
    private byte[] _fields = [];

    [GlobalSetup]
    public void SetUp()
    {
        var table = new BenchTable();
        var options = new RuleOptions(new ValueZone("UTC", TimeZoneInfo.Utc), rounds: false, takesZeroDates: false);
        _rules = [.. table.Mapping.Columns.Select(column => ValueRules.For(column, options))];
        using var reader = table.Open(DataFormat.Csv);
        using var fields = new MemoryStream();
        while (reader.Read())
        {
            foreach (var field in table.Mapping.FieldOf)
            {
                reader.GetField(field, out var value);
                fields.Write(value);
                _ends.Add((int)fields.Length);
            }
        }

        _fields = fields.ToArray();
    }

    [Benchmark(OperationsPerInvoke = BenchTable.Rows)]
    public int AllRules()
    {
        var block = new RowBlock(_rules.Length, 1 << 20);
        var start = 0;
        for (var cell = 0; cell < _ends.Count; cell++)
        {
            var column = cell % _rules.Length;
            var field = _fields.AsSpan(start.._ends[cell]);
            if (field.IsEmpty)
            {
                block.AddNull();
            }
            else if (_rules[column].Add(field, block) is { } fault)
            {
                throw new InvalidOperationException(fault.Message);
            }

            start = _ends[cell];
            if (column == _rules.Length - 1)
            {
                block.EndRow(cell, cell, start, default);
                if (block.RowCount == 1000)
                {
                    block.Clear();
                }
            }
        }

        return block.RowCount;
    }
}
