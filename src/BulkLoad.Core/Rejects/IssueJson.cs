using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Rejects;

/// <summary>Why a record was refused, or how it was repaired, as a line of JSON (docs/cli-json.md has the form).</summary>
public static class IssueJson
{
    // The file is read by people too: letters stay letters.
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
        json.WriteNumber("line", finding.Line);
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
