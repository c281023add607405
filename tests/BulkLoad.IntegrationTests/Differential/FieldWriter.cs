using System.Text.Json;

namespace BulkLoad.IntegrationTests.Differential;

/// <summary>Writes records as a format has them, with quotes and escapes where they must be, and sometimes where they need not.</summary>
internal static class FieldWriter
{
    public static byte[] Write(Random random, FileForm form, IReadOnlyList<(string Name, Cell Cell)> fields) =>
        form.IsJson
            ? [.. "{"u8, .. Join(fields.Where(field => !field.Cell.IsMissing).Select(field => (byte[])[.. Encoding.UTF8.GetBytes(
                JsonSerializer.Serialize(field.Name)), .. ": "u8, .. Json(random, field.Cell)]), (byte)','), .. "}"u8]
            : Join(fields.Where(field => !field.Cell.IsMissing).Select(field => Field(random, form, field.Cell)), Delimiter(form));

    public static byte Delimiter(FileForm form) => form.Format == InputFormat.Csv ? (byte)',' : (byte)'\t';

    private static byte[] Join(IEnumerable<byte[]> fields, byte delimiter)
    {
        var record = new List<byte>();
        foreach (var field in fields)
        {
            record.AddRange(field);
            record.Add(delimiter);
        }

        return [.. record.SkipLast(1)];
    }

    private static byte[] Field(Random random, FileForm form, Cell cell) =>
        cell.IsEmpty ? []
        : cell.IsDirty ? cell.Field!
        : cell.Field is not { } field ? "\\N"u8.ToArray()
        : form.Format == InputFormat.Mysql ? Escaped(random, field)
        : Quoted(random, field, Delimiter(form));

    private static byte[] Quoted(Random random, byte[] field, byte delimiter) =>
        field.Length > 0 && !field.AsSpan().SequenceEqual("\\N"u8)
        && field.AsSpan().IndexOfAny([delimiter, (byte)'"', (byte)'\r', (byte)'\n']) < 0 && random.Next(4) > 0
            ? field
            : [(byte)'"', .. field.SelectMany(sign => sign == '"' ? "\"\""u8.ToArray() : [sign]), (byte)'"'];

    /// <summary>As <c>mysql --batch</c> and <c>SELECT ... INTO OUTFILE</c> do.</summary>
    private static byte[] Escaped(Random random, byte[] field)
    {
        var isOutfile = random.Next(2) == 0;
        return
        [
            .. field.SelectMany(sign => sign switch
            {
                (byte)'\\' => "\\\\"u8.ToArray(),
                (byte)'\t' => isOutfile ? "\\\t"u8.ToArray() : "\\t"u8.ToArray(),
                (byte)'\n' => isOutfile ? "\\\n"u8.ToArray() : "\\n"u8.ToArray(),
                0 => "\\0"u8.ToArray(),
                (byte)'\r' when random.Next(2) == 0 => "\\r"u8.ToArray(),
                0x1a when random.Next(2) == 0 => "\\Z"u8.ToArray(),
                _ => [sign],
            }),
        ];
    }

    private static byte[] Json(Random random, Cell cell)
    {
        if (cell.Field is not { } field)
        {
            return "null"u8.ToArray();
        }

        if (cell.IsJson && (random.Next(2) == 0 || field[0] is (byte)'{' or (byte)'['))
        {
            return field;
        }

        if (!System.Text.Unicode.Utf8.IsValid(field))
        {
            return [(byte)'"', .. field, (byte)'"'];
        }

        var text = new StringBuilder("\"");
        foreach (var sign in Encoding.UTF8.GetString(field))
        {
            text.Append(sign switch
            {
                '"' => "\\\"",
                '\\' => "\\\\",
                '\n' when random.Next(2) == 0 => "\\n",
                '/' when random.Next(2) == 0 => "\\/",
                < ' ' => Escape(sign),
                _ when !char.IsSurrogate(sign) && random.Next(8) == 0 => Escape(sign),
                _ => $"{sign}",
            });
        }

        return Encoding.UTF8.GetBytes(text.Append('"').ToString());
    }

    private static string Escape(char sign) => $"\\u{(int)sign:x4}";
}
