using BenchmarkDotNet.Attributes;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Core.Strategies.LoadData;

namespace BulkLoad.Benchmarks;

/// <summary>From rows of canonical values to what goes over the wire.</summary>
[MemoryDiagnoser]
public class EncodeBenchmarks
{
    private List<RowBlock> _blocks = [];
    private LoadDataText? _text;
    private InsertBatch? _binary;
    private InsertBatch? _literal;

    [GlobalSetup]
    public void SetUp()
    {
        var table = new BenchTable();
        _blocks = table.Fill(1000);
        _text = new LoadDataText(table.Mapping.Columns);
        var form = new InsertForm { Duplicates = DuplicateForm.Plain, Head = "INSERT INTO t VALUES ", ReplaceHead = "REPLACE INTO t VALUES " };
        _literal = new InsertBatch(form, table.Mapping.Columns, new RowEncoder(table.Mapping.Columns), 1000, isBulk: false);
        _binary = new InsertBatch(form, table.Mapping.Columns, new RowEncoder(table.Mapping.Columns), 1000, isBulk: true);
    }

    [Benchmark(OperationsPerInvoke = BenchTable.Rows)]
    public long LoadDataText()
    {
        long bytes = 0;
        foreach (var block in _blocks)
        {
            _text!.Fill(block, 0, block.RowCount);
            bytes += _text.Content.Length;
        }

        return bytes;
    }

    [Benchmark(OperationsPerInvoke = BenchTable.Rows)]
    public long BinaryRows()
    {
        long bytes = 0;
        foreach (var block in _blocks)
        {
            _binary!.Begin(isLiteral: false, hasOwnIds: false);
            _binary.Fill(block, 0, block.RowCount);
            bytes += _binary.Parameters.ByteCount;
        }

        return bytes;
    }

    [Benchmark(OperationsPerInvoke = BenchTable.Rows)]
    public long LiteralRows()
    {
        long bytes = 0;
        foreach (var block in _blocks)
        {
            _literal!.Begin(isLiteral: true, hasOwnIds: false);
            _literal.Fill(block, 0, block.RowCount);
            bytes += _literal.Text.Length;
        }

        return bytes;
    }
}
