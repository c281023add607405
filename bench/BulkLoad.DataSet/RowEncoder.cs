namespace BulkLoad.DataSet;

/// <summary>How rows look in one format.</summary>
internal abstract class RowEncoder
{
    public static RowEncoder Of(DataFormat format) => format switch
    {
        DataFormat.Csv or DataFormat.Gz => new QuotedEncoder((byte)','),
        DataFormat.Tsv => new QuotedEncoder((byte)'\t'),
        DataFormat.Mysql => new EscapedEncoder(),
        DataFormat.Jsonl => new JsonEncoder(),
        _ => throw new ArgumentOutOfRangeException(nameof(format)),
    };

    public virtual void WriteHeader(OutputBuffer output)
    {
    }

    public abstract void WriteRow(UserRow row, OutputBuffer output);
}
