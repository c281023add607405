using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;

namespace BulkLoad.Core.Rejects;

/// <summary>Why a record was refused, as a line of JSON (docs/cli-json.md has the form).</summary>
public static class RejectReason
{
    // The file is read by people too: letters stay letters.
    private static readonly JsonWriterOptions Readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Writes one line.</summary>
    internal static void Write(Stream to, Reject reject)
    {
        using (var json = new Utf8JsonWriter(to, Readable))
        {
            json.WriteStartObject();
            WriteMembers(json, reject);
            if (Utf8.IsValid(reject.Original.Span))
            {
                json.WriteString("text", reject.Original.Span);
            }
            else
            {
                json.WriteBase64String("base64", reject.Original.Span);
            }

            json.WriteEndObject();
        }

        to.WriteByte((byte)'\n');
    }

    /// <summary>All but the record itself.</summary>
    public static void WriteMembers(Utf8JsonWriter json, Reject reject)
    {
        json.WriteString("file", reject.Source);
        json.WriteNumber("record", reject.Record);
        json.WriteNumber("line", reject.Line);
        json.WriteNumber("byteOffset", reject.Offset);
        json.WriteString("column", reject.Column);
        json.WriteString("reason", reject.Code);
        json.WriteString("message", reject.Message);
        if (reject.ServerCode > 0)
        {
            json.WriteNumber("serverError", reject.ServerCode);
        }
    }
}
