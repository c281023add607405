using System.Buffers;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Rejects;

/// <summary>
/// The files of a run's findings: of <c>--reject-file</c> the refused records as they stood in the input, behind all that stood before
/// its first record, so that the file can be mended and loaded as the input was, and beside it one JSON object a record that says
/// why; of <c>--repairs-file</c> one JSON object a repair.
/// </summary>
internal sealed class RejectFile : IDisposable
{
    private readonly KeptFile? _records;
    private readonly KeptFile? _reasons;
    private readonly KeptFile? _repairs;
    private readonly ArrayBufferWriter<byte> _original = new();
    private RejectForm _form = RejectForm.Plain;

    /// <summary>Opens what the request names.</summary>
    /// <exception cref="RequestException">one cannot be opened, or is there already</exception>
    public RejectFile(LoadRequest request)
    {
        try
        {
            if (request.RejectFile is { } path)
            {
                _records = KeptFile.Open("--reject-file", path, request.OverwriteRejectFile);
                _reasons = KeptFile.Open("--reject-file", request.RejectReasonsFile!, request.OverwriteRejectFile);
            }

            if (request.RepairsFile is { } repairs)
            {
                _repairs = KeptFile.Open("--repairs-file", repairs, request.OverwriteRejectFile);
            }
        }
        catch
        {
            Dispose();
            throw;
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
        _reasons!.Write(file => FindingJson.Write(file, reject, original.Span));
    }

    /// <summary>Takes a repair.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Add(Repair repair) => _repairs?.Write(file => FindingJson.Write(file, repair, OriginalOf(repair).Span));

    /// <summary>Brings what was added to the disk.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Flush() => ForEach(file => file.Flush());

    /// <summary>What was added so far stays.</summary>
    public void Keep() => ForEach(file => file.Keep());

    /// <summary>What was added since the last <see cref="Keep"/> is taken out again.</summary>
    /// <exception cref="RejectFileException">it cannot be taken out</exception>
    public void Drop() => ForEach(file => file.Drop());

    public void Dispose() => ForEach(file => file.Dispose());

    private void ForEach(Action<KeptFile> act)
    {
        foreach (var file in new[] { _records, _reasons, _repairs })
        {
            if (file is not null)
            {
                act(file);
            }
        }
    }

    private ReadOnlyMemory<byte> OriginalOf(Finding finding)
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
