using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Tests.Input.Formats;

/// <summary>An object is read in the same way whoever of both reads it: the reader of plain objects, or that of all.</summary>
public sealed class JsonPlainObjectTests
{
    /// <summary>Only the reader of all objects looks up the path of this key.</summary>
    private const string NotPlain = "\"zz\":0,";

    private static readonly string[] Keys = ["id", "name", "price", "a\"b", "", "ä"];

    private static readonly string[] Objects =
    [
        "{\"id\":1,\"name\":\"a\",\"price\":1.5}",
        "{ \"id\" : -0.0e+5 ,\t\"name\" : \"twenty characters of text and more\" , \"price\" : null }\r",
        "{\"id\":true,\"name\":false,\"price\":[1,{\"a\":\"}\"}],\"ä\":{\"x\":[]}}",
        "{\"name\":\"a \\\"b\\\" \\\\ \\u00e4\\n\\ud83d\\ude00\",\"id\":1E9,\"\":\"\"}",
        "{\"id\":1,\"n\\u0061me\":\"x\",\"other\":{\"x\":\"\\ud800\"},\"price\":10}",
        "{\"a\\\"b\":1,\"id\":\"\",\"unknown\":\"\\ud800\",\"name\":\"é😀\"}",
        "{\"zz\":{\"q\":1,\"r\":[2]},\"id\":0}",
        " {} ",
        "{\"id\":1}",
        "{\"a\"b\":1}",
        "{\"id\":01}",
        "{\"id\":1.}",
        "{\"id\":-}",
        "{\"id\":.5}",
        "{\"id\":1e}",
        "{\"id\":1e+}",
        "{\"id\":+1}",
        "{\"id\":0x1}",
        "{\"id\":-0}",
        "{\"id\":1,}",
        "{,\"id\":1}",
        "{\"id\":1 \"name\":2}",
        "{\"id\":nul}",
        "{\"id\":nulll}",
        "{\"id\":tru",
        "{\"id\":trues}",
        "{\"id\":falsy}",
        "{\"id\":1,\"id\":2}",
        "{\"id\":1}{}",
        "{\"id\":1}}",
        "{\"id\"}",
        "{\"id\":}",
        "{\"id\":\"\\",
        "{\"id\":\"\\x\"}",
        "{\"id\":\"\\u12g4\"}",
        "{\"id\":\"a\tb\"}",
        "{\"id\":\"\\ud800\"}",
        "{\"id\":/**/1}",
        "{\"id\":1/**/}",
        "{\"id\":[1,]}",
        "{\"id\":[1}",
        "{id:1}",
        "{'id':1}",
        "{\"id\":\"fifteen of text",
        "{\"id\":\"sixteen or more of text",
        "{\"id\":1,",
        "{\"id\":1",
        "{",
        "{\"id\":\"\u0001\"}",
        "{\"id\":1}\u0001",
        $"{{\"id\":{new string('[', 254)}{new string(']', 254)}}}", $"{{\"id\":{new string('[', 255)}{new string(']', 255)}}}",
        $"{{\"id\":{new string('[', 256)}{new string(']', 256)}}}", $"{{\"id\":{new string('[', 255)}",
    ];

    private static readonly byte[] Signs = [.. "{}[]\":,\\ \t\r+-.0123eEtrufalsn/x"u8, 0, 1, 0x1f, 0x7f, 0xc3, 0xa4, 0xff];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Both_read_the_same(bool ignoresUnknown)
    {
        foreach (var text in Objects)
        {
            Compare(Inputs.Utf8(text), ignoresUnknown);
        }
    }

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, true)]
    [InlineData(4, true)]
    public void Both_read_the_same_of_changed_objects(int seed, bool ignoresUnknown)
    {
        var random = new Random(seed);
        for (var i = 0; i < 10_000; i++)
        {
            var text = Inputs.Utf8(Objects[random.Next(Objects.Length)]).ToList();
            for (var changes = random.Next(1, 4); changes > 0; changes--)
            {
                var at = random.Next(text.Count);
                switch (random.Next(3))
                {
                    case 0:
                        text.RemoveAt(at);
                        break;
                    case 1:
                        text.Insert(at, Signs[random.Next(Signs.Length)]);
                        break;
                    default:
                        text[at] = Signs[random.Next(Signs.Length)];
                        break;
                }

                if (text.Count == 0)
                {
                    break;
                }
            }

            Compare([.. text], ignoresUnknown);
        }
    }

    private static void Compare(byte[] text, bool ignoresUnknown)
    {
        var start = text.AsSpan().IndexOf((byte)'{') + 1;
        if (start == 0 || text.AsSpan(0, start - 1).ContainsAnyExcept(" \t\r\n"u8)
            || text.AsSpan(start).TrimStart(" \t\r\n"u8) is [(byte)'}', ..])
        {
            return;
        }

        var shown = Encoding.Latin1.GetString(text);
        var plain = Read([.. "{\"id\":0}\n"u8, .. text], ignoresUnknown);
        var any = Read([.. "{\"id\":0}\n"u8, .. text[..start], .. Inputs.Utf8(NotPlain), .. text[start..]], ignoresUnknown);
        Assert.True(plain == any, $"{shown}\nplain: {plain}\nother: {any}");
    }

    private static string Read(byte[] text, bool ignoresUnknown)
    {
        var dialect = Dialect.Of(new SourceOptions { IgnoreUnknown = ignoresUnknown }, InputFormat.Jsonl);
        using var reader = new JsonLinesReader(
            new MemoryStream(text), new ReaderStart("in"), dialect, new JsonFieldNames([.. Keys, "zz.q"], [JsonPath.Find("zz.q")!]));
        var said = new StringBuilder();
        while (reader.Read())
        {
            var fields = reader.Fault is null ? ReadRecord.Of(reader).Fields : "";
            var come = string.Concat(Enumerable.Range(0, Keys.Length).Select(field => reader.HasCome(field) ? 'x' : '-'));
            said.Append($"{reader.Fault?.Code} {reader.Fault?.Field} {fields} {come}; ");
        }

        return said.ToString();
    }
}
