using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Rejects;

/// <summary>The files of a run's rejects and repairs. <c>--reject-file</c> gets refused records as in the input, after the input's head,
/// so the file can be corrected and loaded. The reasons are beside it, and <c>--repairs-file</c> has the repairs: one JSON object
/// each. <c>--ids-file</c> has the ids of rows.</summary>
internal sealed class RejectFile : IDisposable
{
    /// <summary>Bytes of two numbers and what is between and behind them.</summary>
    private const int MaxNumbers = 48;

    private readonly TransactionalFile? _records;
    private readonly TransactionalFile? _reasons;
    private readonly TransactionalFile? _repairs;
    private readonly TransactionalFile? _ids;
    private readonly ArrayBufferWriter<byte> _original = new();
    private readonly string _folder;
    private readonly bool _overwrite;
    private RejectForm _form = RejectForm.Plain;

    /// <summary>Throws if a file cannot be opened, or exists and cannot be an earlier run's.</summary>
    public RejectFile(LoadRequest request)
    {
        OutputFiles.Require(request, []);
        (_overwrite, _folder) = (request.OverwriteRejectFile, request.TempFolder);
        try
        {
            if (request.RejectFile is { } path)
            {
                _records = TransactionalFile.Open("--reject-file", path);
                _reasons = TransactionalFile.Open("--reject-file", request.RejectReasonsFile!);
            }

            if (request.RepairsFile is { } repairs)
            {
                _repairs = TransactionalFile.Open("--repairs-file", repairs);
            }

            if (request.IdsFile is { } ids)
            {
                _ids = TransactionalFile.Open("--ids-file", ids);
            }

            if (!request.KeepsLedger)
            {
                Begin();
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public string? RecordsPath => _records?.FullPath;

    public bool HasRecords => _records?.HasContent == true;

    public string? RepairsPath => _repairs?.FullPath;

    public string? IdsPath => _ids?.FullPath;

    public bool HasIds => _ids?.HasContent == true;

    public IssuePositions Positions =>
        new(_records?.Position ?? 0, _reasons?.Position ?? 0, _repairs?.Position ?? 0, _ids?.Position ?? 0);

    /// <summary>Empties the files. Throws if one has more than rejects that an earlier run never committed.</summary>
    public void Begin()
    {
        var isLeft = IsLeft;
        _records?.Begin(_overwrite, isLeft);
        _reasons?.Begin(_overwrite, isLeft);
        _repairs?.Begin(_overwrite);
        _ids?.Begin(_overwrite);
    }

    /// <summary>Whether nothing in the files is committed: the input still has all of it. False if somebody has written to the records
    /// since.</summary>
    private bool IsLeft =>
        _records is { HasContent: true } && _reasons!.BeginsWith(IssueJson.NotCommitted) && _records.Changed < _reasons.Changed;

    /// <summary>Empties the files, which are this job's own.</summary>
    public void BeginAgain() => ForEach(file => file.Begin(overwrite: true));

    /// <summary>Continues after what an earlier run of the job has committed. Returns notes for people. Throws if a file is not that
    /// run's.</summary>
    public IEnumerable<string> GoOn(IssuePositions kept, IssuePaths former, long rejects)
    {
        var (records, repairs, ids) = former;
        if (_records is null && kept.Records > 0)
        {
            yield return $"rejects of what was committed before are in {records}";
        }

        var isLeft = IsLeft;
        if (_records is not null
            && (records != RecordsPath || !_records.GoOn(kept.Records, isLeft) || !_reasons!.GoOn(kept.Reasons, isLeft)))
        {
            _records.Begin(_overwrite, isLeft);
            _reasons!.Begin(_overwrite, isLeft);
            if (rejects > 0)
            {
                yield return $"rejects of what was committed before are not in {_records.FullPath}: "
                    + (records == RecordsPath ? "it was removed"
                        : string.IsNullOrEmpty(records) ? "the last run had no --reject-file" : $"it was another file then, {records}");
            }
        }

        if (_repairs is not null && (repairs != RepairsPath || !_repairs.GoOn(kept.Repairs)))
        {
            _repairs.Begin(_overwrite);
        }

        if (ids is not null && _ids is null)
        {
            yield return $"ids of what was committed before are in {ids}, and those of this start nowhere: it has no --ids-file";
        }

        if (_ids is not null && (ids != IdsPath || !_ids.GoOn(kept.Ids)))
        {
            _ids.Begin(_overwrite);
            yield return $"ids of what was committed before are not in {IdsPath}: "
                + (ids == IdsPath ? "it was removed" : ids is null ? "the last run had no --ids-file" : $"it was another file then, {ids}");
        }
    }

    public void Describe(RejectForm form) => _form = form;

    public void Add(Reject reject)
    {
        if (_records is null)
        {
            return;
        }

        var original = OriginalOf(reject);
        _records.Write(file =>
        {
            if (_records.IsEmpty)
            {
                file.Write(_form.Head);
            }

            file.Write(original.Span);
            file.Write(_form.Newline);
        });
        _reasons!.Write(file => IssueJson.Write(file, reject, original.Span));
    }

    public void Add(Repair repair) => _repairs?.Write(file => IssueJson.Write(file, repair, OriginalOf(repair).Span));

    /// <summary>Adds a line a row: its input, its record's number there, and its id.</summary>
    /// <param name="from">the block's row that has the first id</param>
    public void Add(string source, RowBlock block, int from, GeneratedIds ids) => _ids?.Write(file =>
    {
        if (_ids.IsEmpty)
        {
            file.Write("file,record,id\n"u8);
        }

        ReadOnlySpan<byte> name = Encoding.UTF8.GetBytes($"{CsvField(source)},");
        Span<byte> rest = stackalloc byte[MaxNumbers];
        for (var i = 0; i < ids.Count; i++)
        {
            var (record, id) = (block.Origin(from + i).Record, ids.First + ((ulong)i * ids.Step));
            Utf8.TryWrite(rest, CultureInfo.InvariantCulture, $"{record},{id}\n", out var length);
            file.Write(name);
            file.Write(rest[..length]);
        }
    });

    public void Flush() => ForEach(file => file.Flush());

    public void Keep() => ForEach(file => file.Keep());

    /// <summary>Removes what was added since the last <see cref="Keep"/>.</summary>
    public void Drop() => ForEach(file => file.Drop());

    /// <summary>Keeps what was added since the last <see cref="Keep"/>, marked as not committed. Removes repairs.</summary>
    public void Leave()
    {
        _repairs?.Drop();
        _ids?.Drop();
        if (_records is null)
        {
            return;
        }

        _records.Leave();
        _reasons!.MarkLines(IssueJson.NotCommitted, _folder);
        _reasons.Leave();
        _records.SetTimeBefore(_reasons.Changed);
    }

    /// <summary>Cuts the files. <paramref name="isEarlier"/>: an earlier run has written them, perhaps to another file.</summary>
    public void GoBack(IssuePositions kept, bool isEarlier)
    {
        _records?.GoBack(kept.Records, isEarlier);
        _reasons?.GoBack(kept.Reasons, isEarlier);
        _repairs?.GoBack(kept.Repairs, isEarlier);
        _ids?.GoBack(kept.Ids, isEarlier);
    }

    public void Dispose() => ForEach(file => file.Dispose());

    private void ForEach(Action<TransactionalFile> act)
    {
        foreach (var file in new[] { _records, _reasons, _repairs, _ids })
        {
            if (file is not null)
            {
                act(file);
            }
        }
    }

    private static string CsvField(string text) =>
        text.AsSpan().IndexOfAny("\",\r\n") >= 0 ? $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"" : text;

    private ReadOnlyMemory<byte> OriginalOf(RecordIssue finding)
    {
        if (_form.Encoding is null)
        {
            return finding.Text;
        }

        _original.ResetWrittenCount();
        OriginalText.Write(finding.Text.Span, _form.Encoding, _original);
        return _original.WrittenMemory;
    }
}

/// <summary>Why a record was refused, or how it was repaired, as a line of JSON (docs/cli-json.md has the form).</summary>
internal static class IssueJson
{
    // People read the file too: letters stay letters.
    private static readonly JsonWriterOptions Readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>The beginning of a line whose record was not committed.</summary>
    internal static ReadOnlySpan<byte> NotCommitted => """{"committed":false,"""u8;

    /// <summary>Writes one line. <paramref name="original"/> has the bytes of the input.</summary>
    internal static void Write(Stream to, RecordIssue finding, ReadOnlySpan<byte> original)
    {
        using (var json = new Utf8JsonWriter(to, Readable))
        {
            json.WriteStartObject();
            WriteMembers(json, finding);
            if (Utf8.IsValid(finding.Text.Span))
            {
                json.WriteString("text", finding.Text.Span);
            }
            else
            {
                json.WriteBase64String("base64", original);
            }

            json.WriteEndObject();
        }

        to.WriteByte((byte)'\n');
    }

    /// <summary>All but the record itself.</summary>
    public static void WriteMembers(Utf8JsonWriter json, RecordIssue finding)
    {
        json.WriteString("file", finding.Source);
        json.WriteNumber("record", finding.Record);
        if (finding.Line > 0)
        {
            json.WriteNumber("line", finding.Line);
        }
        else if (finding.Line == 0)
        {
            json.WriteString("place", finding.At);
        }

        json.WriteNumber("byteOffset", finding.Offset);
        json.WriteString("column", finding.Column);
        json.WriteString("reason", finding.Code);
        json.WriteString("message", finding.Message);
        if (finding is Reject { ServerCode: > 0 and var code })
        {
            json.WriteNumber("serverError", code);
        }
    }
}
