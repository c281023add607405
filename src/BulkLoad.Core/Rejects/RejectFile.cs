using System.Buffers;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Rejects;

/// <summary>
/// The files of a run's findings: of <c>--reject-file</c> the refused records as they stood in the input, behind all that stood before
/// its first record, so that the file can be corrected and loaded as the input was, and beside it one JSON object a record that says
/// why; of <c>--repairs-file</c> one JSON object a repair.
/// </summary>
internal sealed class RejectFile : IDisposable
{
    private readonly TransactionalFile? _records;
    private readonly TransactionalFile? _reasons;
    private readonly TransactionalFile? _repairs;
    private readonly ArrayBufferWriter<byte> _original = new();
    private readonly string _folder;
    private readonly bool _overwrite;
    private RejectForm _form = RejectForm.Plain;

    /// <summary>Opens what the request names.</summary>
    /// <exception cref="RequestException">one cannot be opened; or is there already, and cannot be a former start's</exception>
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

    /// <summary>Full path of the file of refused records; null where there is none.</summary>
    public string? RecordsPath => _records?.FullPath;

    /// <summary>Whether refused records stay in the file.</summary>
    public bool HasRecords => _records?.HasKept == true;

    /// <summary>Full path of the file of repairs; null where there is none.</summary>
    public string? RepairsPath => _repairs?.FullPath;

    /// <summary>How far the files reach.</summary>
    public IssuePositions Positions => new(_records?.Position ?? 0, _reasons?.Position ?? 0, _repairs?.Position ?? 0);

    /// <summary>Starts with nothing in the files.</summary>
    /// <exception cref="RequestException">one is there already, and holds something else than a former start's rejects that were never
    /// committed</exception>
    public void Begin()
    {
        var isLeft = IsLeft;
        _records?.Begin(_overwrite, isLeft);
        _reasons?.Begin(_overwrite, isLeft);
        _repairs?.Begin(_overwrite);
    }

    /// <summary>Whether nothing in the files is of a commit: then the input still holds all of it. Not where somebody has written to the
    /// records since.</summary>
    private bool IsLeft =>
        _records is { HasKept: true } && _reasons!.BeginsWith(IssueJson.NotCommitted) && _records.Changed < _reasons.Changed;

    /// <summary>Starts with nothing in the files, which are this job's.</summary>
    public void BeginAgain() => ForEach(file => file.Begin(overwrite: true));

    /// <summary>Goes on behind what a former start of the job has kept.</summary>
    /// <param name="records">its <see cref="RecordsPath"/></param>
    /// <param name="repairs">its <see cref="RepairsPath"/></param>
    /// <param name="rejects">records that were refused before</param>
    /// <returns>what to know of it, for people</returns>
    /// <exception cref="RequestException">a file is there that is not the former start's</exception>
    public IEnumerable<string> GoOn(IssuePositions kept, string? records, string? repairs, long rejects)
    {
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
    }

    /// <summary>Says how the input is written.</summary>
    public void Describe(RejectForm form) => _form = form;

    /// <summary>Takes a refused record and its reason.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
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

    /// <summary>Takes a repair.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Add(Repair repair) => _repairs?.Write(file => IssueJson.Write(file, repair, OriginalOf(repair).Span));

    /// <summary>Brings what was added to the disk.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Flush() => ForEach(file => file.Flush());

    /// <summary>What was added so far stays.</summary>
    public void Keep() => ForEach(file => file.Keep());

    /// <summary>What was added since the last <see cref="Keep"/> is taken out again.</summary>
    /// <exception cref="RejectFileException">it cannot be taken out</exception>
    public void Drop() => ForEach(file => file.Drop());

    /// <summary>What was added since the last <see cref="Keep"/> stays too, and is marked as not committed; repairs are taken out
    /// again.</summary>
    /// <exception cref="RejectFileException">it cannot be marked, or cannot be written</exception>
    public void Leave()
    {
        _repairs?.Drop();
        if (_records is null)
        {
            return;
        }

        _records.Leave();
        _reasons!.MarkLines(IssueJson.NotCommitted, _folder);
        _reasons.Leave();
        _records.DateBefore(_reasons.Changed);
    }

    /// <summary>What was kept behind a place is taken out again.</summary>
    /// <param name="isEarlier">whether a former start has written so far, perhaps to another file</param>
    /// <exception cref="RejectFileException">it cannot be taken out</exception>
    public void GoBack(IssuePositions kept, bool isEarlier)
    {
        _records?.GoBack(kept.Records, isEarlier);
        _reasons?.GoBack(kept.Reasons, isEarlier);
        _repairs?.GoBack(kept.Repairs, isEarlier);
    }

    public void Dispose() => ForEach(file => file.Dispose());

    private void ForEach(Action<TransactionalFile> act)
    {
        foreach (var file in new[] { _records, _reasons, _repairs })
        {
            if (file is not null)
            {
                act(file);
            }
        }
    }

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
