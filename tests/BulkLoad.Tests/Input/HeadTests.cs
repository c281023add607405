using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Tests.Input;

/// <summary>File heads as they are met in the wild: what is found out about each, how sure that is, and what is an error.</summary>
public sealed class HeadTests
{
    /// <summary>Name, head, and what is found: <c>what value confidence</c> between semicolons, then the names of the header.</summary>
    public static TheoryData<string, string, string> Heads => new()
    {
        { "commas", "id,name\n1,Ann\n2,Bob\n", "delimiter ',' 0.75; header yes 0.75; id|name" },
        {
            "quotes around all",
            "\"id\",\"name\"\n\"1\",\"Ann, B\"\n\"2\",\"Bob\"\n",
            "delimiter ',' 0.75; quote '\"' 0.80; header yes 0.75; id|name"
        },
        {
            "Excel with sep=",
            "sep=;\r\nid;preis\r\n1;1,50\r\n2;22,75\r\n",
            "delimiter ';' 1.00; preamble of 1 line 1.00; header yes 0.83; id|preis"
        },
        {
            "Excel with a quoted sep=",
            "\"sep=;\"\r\nid;preis\r\n1;1,50\r\n2;22,75\r\n",
            "delimiter ';' 1.00; preamble of 1 line 1.00; header yes 0.83; id|preis"
        },
        {
            "Excel with sep= and a title",
            "sep=;\nUmsatz 2024\n\nid;preis\n1;1,50\n2;22,75\n",
            "delimiter ';' 1.00; preamble of 3 lines 0.75; header yes 0.83; id|preis"
        },
        {
            "semicolons and decimal commas",
            "id;name;preis\n1;Ann;1,50\n2;Bob;2,75\n",
            "delimiter ';' 0.75; header yes 0.83; id|name|preis"
        },
        { "tabs in a .csv", "id\tname\tnote\n1\tAnn\ta, b\n2\tBob\t\n", "delimiter tab 0.75; header yes 0.75; id|name|note" },
        { "bars", "id|name|x\n1|Ann|a,b;c\n2|Bob|\n", "delimiter '|' 0.75; header yes 0.75; id|name|x" },
        { "SQL-like values", "1,'Ann','a, b'\n2,'Bob','it''s'\n3,NULL,'x'\n", "quote \"'\" 0.75; header yes 0.25; 1|Ann|a, b" },
        {
            "SQL-like values below names",
            "id,name,note\n1,'Ann','a, b'\n2,'Bob','it''s'\n3,NULL,'x'\n",
            "delimiter ',' 0.60; quote \"'\" 0.83; header yes 0.75; id|name|note"
        },
        {
            "SQL-like values and names",
            "'id','name','note'\n1,'Ann','a, b'\n2,'Bob','it''s'\n3,NULL,'x'\n",
            "delimiter ',' 0.60; quote \"'\" 0.83; header yes 0.75; id|name|note"
        },
        {
            "apostrophes where needed",
            "id,name\n1,'a, b'\n2,Bob\n3,'c, d'\n4,'e, f'\n5,Cid\n",
            "quote \"'\" 0.75; header yes 0.75; id|name"
        },
        { "apostrophes in texts", "id,name\n1,O'Brien\n2,'tis\n3,rock 'n' roll\n", "delimiter ',' 0.80; header yes 0.75; id|name" },
        { "title", "Sales report\nid,name\n1,Ann\n2,Bob\n", "delimiter ',' 0.75; preamble of 1 line 0.75; header yes 0.75; id|name" },
        {
            "title above one record",
            "Sales report\nid,name\n1,Ann\n",
            "delimiter ',' 0.67; preamble of 1 line 0.67; header yes 0.75; id|name"
        },
        {
            "title above semicolons and decimal commas",
            "Umsatz 2024\nid;name;betrag\n1;a;1,50\n2;b;2,75\n",
            "delimiter ';' 0.75; preamble of 1 line 0.75; header yes 0.83; id|name|betrag"
        },
        {
            "title filled up by a spreadsheet",
            "Sales report,,,\n,,,\nid,name,a,b\n1,Ann,3,4\n2,Bob,5,6\n",
            "delimiter ',' 0.75; preamble of 2 lines 0.75; header yes 0.88; id|name|a|b"
        },
        {
            "pairs filled up by a spreadsheet",
            "Report\nFrom:,2024-01-01,\n\ntime,temp,rain\n1,3.5,0\n2,4.5,1\n",
            "delimiter ',' 0.75; preamble of 3 lines 0.75; header yes 0.88; time|temp|rain"
        },
        {
            "a name missing below a title",
            "Report\n,temp,rain\n1,3.5,0\n2,4.5,1\n",
            "delimiter ',' 0.75; preamble of 1 line 0.75; header yes 0.83; |temp|rain"
        },
        {
            "metadata in pairs",
            "Station:,Berlin\nFrom:,2024-01-01\n\ntime,temp,rain\n2024-01-01,3.5,0\n2024-01-02,4.5,1\n",
            "delimiter ',' 0.75; preamble of 3 lines 0.75; header yes 0.88; time|temp|rain"
        },
        {
            "units below the names",
            "time,temp,rain\ns,°C,mm\n1,3.5,0\n2,4.5,1\n",
            "encoding utf-8 1.00; delimiter ',' 0.80; header yes 0.50; time|temp|rain"
        },
        { "names for two of three columns", "id,name\n1,Ann,x\n2,Bob,y\n", "header yes 0.50; id|name" },
        { "names for two of three text columns", "id,name\na,Ann,x\nb,Bob,y\n", "header yes 0.50; id|name" },
        {
            "backslashes",
            "id,note\n1,\"say \\\"hi\\\"\"\n2,\"\\\"x\\\", y\"\n3,\"a \\\"b\\\" c\"\n",
            "delimiter ',' 0.80; escape '\\' 0.75; header yes 0.75; id|note"
        },
        {
            "one backslash",
            "id,note\n1,\"say \\\"hi\\\"\"\n2,\"x\"\n3,y\n",
            "delimiter ',' 0.80; quote '\"' 0.33; header yes 0.75; id|note"
        },
        {
            "backslashes in nearly every record",
            Escaped(',', "id,name,info\n", 12),
            "delimiter ',' 0.93; escape '\\' 0.92; header yes 0.75; id|name|info"
        },
        {
            "backslashes in every record of a tsv",
            Escaped('\t', "id\tname\tinfo\n", 3),
            "delimiter tab 0.80; escape '\\' 0.75; header yes 0.75; id|name|info"
        },
        {
            "backslashes that hide semicolons",
            Escaped(';', "id;name;info\n", 20),
            "delimiter ';' 0.95; escape '\\' 0.95; header yes 0.75; id|name|info"
        },
        {
            "backslashes behind a title",
            "Report\n" + Escaped(',', "id,name,info\n", 12),
            "delimiter ',' 0.93; preamble of 1 line 0.93; escape '\\' 0.92; header yes 0.75; id|name|info"
        },
        {
            "backslashes in the names",
            Escaped(',', "id,\"the \\\"name\\\"\",info\n", 3),
            "delimiter ',' 0.80; escape '\\' 0.75; header yes 0.75; id|the \"name\"|info"
        },
        {
            "backslashes in apostrophes",
            "id,t\n1,'it\\'s'\n2,'Bob\\'s'\n3,'x'\n4,'don\\'t'\n",
            "delimiter ',' 0.83; quote \"'\" 0.80; escape '\\' 0.75; header yes 0.75; id|t"
        },
        {
            "backslashes and a path",
            Escaped(',', "id,name,info\n", 9) + "10,\"Kabul\",\"C:\\new\"\n",
            "in.csv: its escape character is ambiguous: 9 of the first 10 records are good only if a backslash escapes a quote, and 1 "
                + "record that is good without that would change; use --escape '\\' if a backslash escapes, --escape '' if it is text"
        },
        {
            "paths and one backslash",
            "id,path\n" + string.Concat(Enumerable.Range(1, 9).Select(i => $"{i},\"C:\\new\\{i}\"\n")) + "10,\"a \\\"b\\\"\"\n",
            "delimiter ',' 0.92; quote '\"' 0.82; header yes 0.75; id|path"
        },
        {
            "backslashes and nothing enclosed",
            "id,name\n" + string.Concat(Enumerable.Range(1, 12).Select(i => $"{i},say \\\"hi\\\"\n")),
            "in.csv: its escape character is ambiguous: 12 of the first 12 records are good only if a backslash escapes a quote, and "
                + "quotes and backslashes may be text; use --escape '\\' if a backslash escapes, --escape '' if it is text, --quote '' if "
                + "quotes are, too"
        },
        {
            "padded quotes in every record",
            "a, b\n" + string.Concat(Enumerable.Range(1, 12).Select(i => $"{i}, \"x\"\n")),
            "delimiter ',' 0.93; quote '\"' 0.92; header yes 0.75; a| b"
        },
        {
            "a doubled apostrophe",
            "a;b\n1;Mali\n2;'Cote d''Ivoire'\n3;Chad\n4;Togo\n",
            "in.csv: its quote character is ambiguous: it may be the apostrophe (fields that it encloses: 1, texts of the same columns "
                + "that it does not: 3, fields with one doubled or escaped: 1); use --quote \"'\" if apostrophes enclose values, --quote "
                + "'\"' if they belong to them"
        },
        { "values of one record", "2003-01-02,5,109.16\n", "delimiter ',' 0.50; header yes 0.13; 2003-01-02|5|109.16" },
        { "a year alone", "2003,Ann\n", "delimiter ',' 0.50; header yes 0.25; 2003|Ann" },
        { "the first line again and again", "happy\nsad\nhappy\nangry\nhappy\n", "header yes 0.17; happy" },
        {
            "names that come again above values",
            "id,name\n1,a\nid,name\n2,b\nid,name\n3,c\n",
            "delimiter ',' 0.57; header yes 0.75; id|name"
        },
        {
            "texts of one shape",
            "Ann,#7F3B08\nBob,#B35806\nCid,#E08214\nDan,#FDB863\n",
            "delimiter ',' 0.80; header yes 0.25; Ann|#7F3B08"
        },
        {
            "comments between records",
            "# made by x\na;b\n# a remark\n1;3\n6;7\n",
            "in.csv: 1 line after the first record begins with #: use --comment '#' if they are comments, --format csv if they are records"
        },
        { "values with a number sign", "tag,n\n#a,1\n#b,2\n", "delimiter ',' 0.75; header yes 0.75; tag|n" },
        { "one column with a number sign", "tag\n#a\nb\n#d\n", "header yes 0.50; tag" },
        { "windows paths", "id,path\n1,\"C:\\\"\n2,\"D:\\tmp\\\"\n", "delimiter ',' 0.75; quote '\"' 0.67; header yes 0.75; id|path" },
        { "years as names", "country,2019,2020\nDE,1.5,2\nFR,3,4\n", "delimiter ',' 0.75; header yes 0.50; country|2019|2020" },
        { "years as names above numbers", "id,2019,2020\n1,1.5,2\n2,3,4\n", "delimiter ',' 0.75; header yes 0.75; id|2019|2020" },
        { "no header", "1,Ann,ann@example.com\n2,Bob,bob@example.com\n", "delimiter ',' 0.67; header yes 0.17; 1|Ann|ann@example.com" },
        { "no header, and a text comes again", "Ann,Paris\nBob,Rome\nCid,Paris\n", "delimiter ',' 0.75; header yes 0.25; Ann|Paris" },
        { "header only", "id,name\n", "delimiter ',' 0.50; header yes 0.50; id|name" },
        { "one column", "name\nAnn\nBob\n", "header yes 0.50; name" },
        {
            "one value in apostrophes",
            "id,name\n1,'Ann'\n",
            "in.csv: its quote character is ambiguous: it may be the apostrophe (fields that it encloses: 1, texts of the same columns "
                + "that it does not: 0); use --quote \"'\" if apostrophes enclose values, --quote '\"' if they belong to them"
        },
        { "texts in apostrophes and not", "id,name\n1,'Ann'\n2,Bob\n3,Cid\n", "delimiter ',' 0.80; header yes 0.75; id|name" },
        {
            "inches",
            "id,name\n" + string.Concat(Enumerable.Range(1, 12).Select(i => $"{i},{i}\" pipe\n")),
            "quote none 0.92; header yes 0.75; id|name"
        },
        {
            "some inches",
            "id,name\n" + string.Concat(Enumerable.Range(1, 12).Select(i => i < 5 ? $"{i},{i}\" pipe\n" : $"{i},plain\n")),
            "delimiter ',' 0.64; header yes 0.75; id|name"
        },
        {
            "decimal commas everywhere",
            "id;preis, netto;x\n1;1,50;a\n2;2,75;b\n",
            "in.csv: its delimiter is ambiguous: ',' makes 2 fields, ';' makes 3 fields"
        },
        { "two delimiters", "a;b|c\n1;2|3\n", "in.csv: its delimiter is ambiguous: ';' makes 2 fields, '|' makes 2 fields" },
        {
            "two delimiters behind a title",
            "Report\na;b|c\n1;2|3\n2;3|4\n",
            "in.csv: its header is ambiguous: with ';' it has 2 fields, with '|' it has 2 fields, on line 2; name --delimiter, or the "
                + "lines before it with --skip-lines"
        },
    };

    /// <summary>As INTO OUTFILE ... OPTIONALLY ENCLOSED BY writes JSON: none of the records shows a doubled quote or is good without the
    /// escape.</summary>
    private static string Escaped(char delimiter, string header, int records) =>
        header + string.Concat(Enumerable.Range(1, records).Select(i => $"{i}{delimiter}\"Kabul\"{delimiter}\"{{\\\"p\\\": {i}}}\"\n"));

    [Theory]
    [MemberData(nameof(Heads))]
    public void Head_is_known(string name, string head, string expected)
    {
        Assert.NotNull(name);
        Assert.Equal(expected, Describe(head));
    }

    /// <summary>What an option says is not looked for, and so never another.</summary>
    [Theory]
    [InlineData("sep=;\nid;preis\n1;1,50\n", "delimiter=,", "preamble of 1 line 1.00; header yes 0.50; id;preis")]
    [InlineData("sep=;\nid,name\n1,Ann\n", "skip=1", "delimiter ',' 0.67; header yes 0.75; id|name")]
    [InlineData("Title\nid,name\n1,Ann\n", "skip=0", "header yes 0.50; Title")]
    [InlineData("1,Ann\n2,Bob\n", "header", "delimiter ',' 0.67; 1|Ann")]
    [InlineData("1,Ann\n2,Bob\n", "no-header", "delimiter ',' 0.67; ")]
    [InlineData("id,name\n1,'Ann'\n", "quote=\"", "delimiter ',' 0.67; header yes 0.75; id|name")]
    [InlineData("id,name\n1,'Ann'\n2,'Bob'\n3,'Cid'\n", "format", "header yes 0.75; id|name")]
    [InlineData("Title\nid,name\n1,Ann\n", "format", "preamble of 1 line 0.67; header yes 0.75; id|name")]
    [InlineData("id,note\n1,\"a \\\"b\\\"\"\n2,\"a \\\"b\\\"\"\n3,\"a \\\"b\\\"\"\n", "escape", "header yes 0.50; id|note")]
    public void What_an_option_says_is_not_looked_for(string head, string option, string expected)
    {
        var options = option switch
        {
            "delimiter=," => new SourceOptions { Delimiter = ',' },
            "skip=1" => new SourceOptions { SkipLines = 1 },
            "skip=0" => new SourceOptions { SkipLines = 0 },
            "header" => new SourceOptions { HasHeader = true },
            "no-header" => new SourceOptions { HasHeader = false },
            "quote=\"" => new SourceOptions { Quote = '"' },
            "escape" => new SourceOptions { Escape = '\0' },
            _ => new SourceOptions { Format = InputFormat.Csv },
        };
        Assert.Equal(expected, Describe(head, options));
    }

    /// <summary>What may be repaired changes nothing of what is found out.</summary>
    [Theory]
    [MemberData(nameof(Heads))]
    public void Repairs_do_not_matter(string name, string head, string expected)
    {
        Assert.NotNull(name);
        var names = expected.Split("; ")[^1];
        var repaired = Describe(head, new SourceOptions { Dirt = DirtPolicies.None.With(null, DirtAction.Repair) });
        Assert.Equal(expected.StartsWith("in.csv: ", StringComparison.Ordinal)
            ? expected : expected[..^names.Length] + names.Replace("| ", "|", StringComparison.Ordinal), repaired);
    }

    /// <summary>Whatever the pieces in which the bytes come, and however much stands behind the sample.</summary>
    [Theory]
    [MemberData(nameof(Heads))]
    public void Pieces_do_not_matter(string name, string head, string expected)
    {
        Assert.NotNull(name);
        foreach (var size in Inputs.PieceSizes)
        {
            Assert.Equal(expected, Describe(head, pieceSize: size));
        }
    }

    private static string Describe(string head, SourceOptions? options = null, int pieceSize = 1 << 20)
    {
        using var input = Inputs.Open(Inputs.Utf8(head), pieceSize: pieceSize, name: "in.csv");
        try
        {
            var look = SourceProbe.Look(input, options ?? new SourceOptions());
            var found = look.Detections.Select(one => $"{$"{one}".Split(" (")[0]} {one.Confidence:0.00}");
            return string.Join("; ", [.. found, string.Join('|', look.FieldNames ?? [])]);
        }
        catch (InputException fault)
        {
            return fault.Message;
        }
    }
}
