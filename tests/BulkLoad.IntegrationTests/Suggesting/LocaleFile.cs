namespace BulkLoad.IntegrationTests.Suggesting;

/// <summary>A file as a spreadsheet of a country may write it, and what its rows mean.</summary>
internal sealed class LocaleFile
{
    public const string Table = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40), amount DECIMAL(12,2), price DECIMAL(12,2), qty INT, "
        + "born DATE, seen DATETIME, opens TIME, ok BOOLEAN);";

    public const string Query = "SELECT id, HEX(name), amount, price, qty, born, seen, opens, ok FROM t ORDER BY id;";

    private LocaleFile(byte[] bytes, string rows, string title) => (Bytes, Rows, Title) = (bytes, rows, title);

    public byte[] Bytes { get; }

    /// <summary>What the server's own client prints of them.</summary>
    public string Rows { get; }

    public string Title { get; }

    /// <param name="seed">decides values and dialect</param>
    public static LocaleFile Create(Locale locale, int seed)
    {
        var random = new Random(seed);
        var dialect = seed % 6;
        var delimiter = dialect switch { 0 or 3 => ';', 1 => '\t', 2 => locale.Decimal == "," ? ';' : ',', 4 => '|', _ => ';' };
        var quotesAll = dialect is 3 or 5;
        var encoding = dialect switch
        {
            1 => Encoding.Unicode,
            2 or 4 => new UTF8Encoding(encoderShouldEmitUTF8Identifier: dialect == 2),
            _ => CodePagesEncodingProvider.Instance.GetEncoding(locale.Encoding) ?? Encoding.UTF8
        };
        var newline = dialect % 2 == 0 ? "\r\n" : "\n";
        var text = new StringBuilder(
            string.Join(delimiter, "id", "name", "amount", "price", "qty", "born", "seen", "opens", "ok") + newline);
        var rows = new StringBuilder();
        var count = random.Next(3, 60);
        for (var id = 1; id <= count; id++)
        {
            var name = $"{locale.Names[random.Next(locale.Names.Length)]} {id}";
            var amount = Math.Round((decimal)random.NextDouble() * 2_000_000 - 500_000, 2);
            var price = Math.Round((decimal)random.NextDouble() * 9_000_000, 2);
            var qty = random.Next(0, 4_000_000);
            var born = new DateTime(1940, 1, 1).AddDays(random.Next(0, 30_000));
            var seen = new DateTime(2001, 1, 1).AddMinutes(random.Next(0, 12_000_000));
            var opens = TimeSpan.FromMinutes(random.Next(0, 1440));
            var isTrue = random.Next(2) == 0;
            var isNull = random.Next(12) == 0;
            string[] fields =
            [
                $"{id}", name, locale.Number(amount, 2, groups: seed % 2 == 0), locale.Price(price), locale.Number(qty, 0, groups: true),
                born.ToString(locale.Date, CultureInfo.InvariantCulture),
                isNull ? "" : seen.ToString($"{locale.Date} {locale.Time}", CultureInfo.InvariantCulture), new DateTime(opens.Ticks)
                    .ToString(locale.Time, CultureInfo.InvariantCulture), isTrue ? locale.True : locale.False,
            ];
            text.Append(string.Join(
                delimiter, fields.Select(field => field.Length > 0 && (quotesAll || field.Contains(delimiter)) ? $"\"{field}\"" : field)))
                .Append(newline);
            rows.Append(CultureInfo.InvariantCulture, $"{id}\t{Convert.ToHexString(Encoding.UTF8.GetBytes(name))}\t{amount:F2}\t{price:F2}"
                + $"\t{qty}\t{born:yyyy-MM-dd}\t{(isNull ? "NULL" : seen.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture))}\t"
                + $"{opens:hh\\:mm\\:ss}\t{(isTrue ? 1 : 0)}\n");
        }

        return new LocaleFile([.. encoding.GetPreamble(), .. encoding.GetBytes(text.ToString())], rows.ToString(),
            $"{locale.Name}, dialect {dialect}, seed {seed}, {count} records");
    }
}
