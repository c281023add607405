using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Tests.Input.Detection;

public sealed class LoneColumnTests
{
    private static SourceInfo Look(string text, bool? hasHeader = null)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        return SourceProbe.Look(input, new SourceOptions { HasHeader = hasHeader });
    }

    [Theory]
    [InlineData("a^b^c\n1^2^3\n4^5^6\n", "--delimiter ^")]
    [InlineData("a~b\n1~2\n3~4\n", "--delimiter ~")]
    [InlineData("a::b\n1::2\n3::4\n", "--delimiter ::")]
    [InlineData("a\u0001b\n1\u00012\n3\u00014\n", "--delimiter \\x01")]
    [InlineData("name:x:uid\nroot:x:0\nbin:x:1\n", "--delimiter :")]
    [InlineData("Estrazione del 2025-01-06\n1|ACME|x\n2|Bolt|y\n3|Ceta|z\n", "--delimiter |")]
    [InlineData("id;name\n1;5\" pipe\n2;6\" pipe\n3;7\" pipe\n", null)]
    [InlineData("time\n12:30\n13:45\n", null)]
    [InlineData("url\nhttps://a.example\nhttps://b.example\n", null)]
    [InlineData("colour\n#7F3B08\n#B35806\n", null)]
    [InlineData("note\nsee a|b\nplain\n", null)]
    [InlineData("name\nAnn Lee\nBob Ray\n", null)]
    [InlineData("\"a;b\"\n\"c;d\"\n\"e;f\"\n", null)]
    public void A_delimiter_that_splits_all_records_is_asked_about(string text, string? words)
    {
        var look = Look(text);
        if (words is null)
        {
            Assert.Empty(look.OtherDelimiters);
            return;
        }

        var fault = Assert.Throws<InputException>(() => HeaderDetector.RequireFields(look));
        Assert.Contains("would be a table of one column", fault.Message, StringComparison.Ordinal);
        Assert.Equal([words, "--delimiter ,"], fault.WaysOn.Select(way => string.Join(' ', way.Words)));
    }

    [Fact]
    public void A_file_without_a_header_is_asked_about_too()
    {
        Assert.Equal("^", Assert.Single(Look("1^2^3\n4^5^6\n7^8^9\n", hasHeader: false).OtherDelimiters).Delimiter);
        Assert.Empty(Look("12:30\n13:45\n14:50\n", hasHeader: false).OtherDelimiters);
        Assert.Empty(Look("1;a; b\n2;c\n3;d\n", hasHeader: false).OtherDelimiters);
    }

    [Fact]
    public void Stray_quotes_do_not_take_a_delimiter_out_of_the_race()
    {
        var other = Assert.Single(Look("a^b\n1^say \"hi\" x\n2^7\" y\n").OtherDelimiters);
        Assert.Equal("^", other.Delimiter);
    }
}

public sealed class HeaderShapeTests
{
    private static bool Doubts(string text)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        return SourceProbe.Look(input, new SourceOptions()).HeaderDoubt is not null;
    }

    [Theory]
    [InlineData("AL,R+27\nAK,R+15\nAZ,R+9\nAR,R+24\nCA,D+24\n")]
    [InlineData("\"Aerospatiale (Nord) 262\",\"ND2\",\"N262\"\n\"BAC Concorde\",\"CON\",\"CONC\"\n\"Airbus "
        + "A300\",\"AB3\",\"A30B\"\n\"Fokker\",\"100\",\\N\n")]
    [InlineData("X12,red\nY34,blue\nZ99,grey\nA10,red\n")]
    [InlineData("AB-1,red\nCD-22,blue\nE-3,grey\nEF-9,red\n")]
    public void A_first_line_that_is_written_like_all_records_is_doubted(string text) => Assert.True(Doubts(text));

    [Theory]
    [InlineData("code,name\nX12,red\nY34,blue\nZ99,grey\n")]
    [InlineData("Q1,Q2\nA1,B1\nA2,B2\nA3,B3\n")]
    [InlineData("col1,col2\nv1,v2\nv3,v4\nv5,v6\n")]
    [InlineData("ID,NAME\nAB,Ann\nCD,Bob\nEF,Cid\n")]
    [InlineData("R2,score\nA1,1\nB2,2\nC3,3\n")]
    public void Names_are_not_doubted(string text) => Assert.False(Doubts(text));
}
