namespace BulkLoad.Core.Protocol;

/// <summary>A load as it goes out.</summary>
internal sealed record EncodedLoad(LocalLoad Load, byte[]? Prologue, byte[] Statement, byte[] FileName)
{
    public static EncodedLoad Of(LocalLoad load) =>
        new(load, StatementText.EncodeAny(load.Prologue), StatementText.Encode(load.Statement), StatementText.Encode(load.FileName));
}

/// <summary>A load that went out, and the sequence ids that its answers must have.</summary>
internal sealed record SentLoad(LocalLoad Load, byte[] FileName, byte? AnswerToPrologue, byte Answer);
