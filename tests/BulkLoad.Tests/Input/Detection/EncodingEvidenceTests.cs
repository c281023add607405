using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Tests.Input.Detection;

public sealed class EncodingEvidenceTests
{
    [Fact]
    public void Candidates_show_the_words_that_they_read_in_different_ways()
    {
        var found = Find("windows-1252", "M\u00FCller Stra\u00DFe K\u00F6ln B\u00E4r F\u00FC\u00DFe Gr\u00FC\u00DFe \u00D6l se\u00F1or");

        Assert.Equal(["windows-1252", "windows-1250"], found.Select(one => one.Name));
        Assert.Equal(["se\u00F1or"], found[0].Telling);
        Assert.Equal(["se\u0144or"], found[1].Telling);
    }

    /// <summary>IBM 850 would read it as J³rgen M³ller, Mac Roman as J¸rgen M¸ller.</summary>
    [Fact]
    public void A_sign_between_letters_makes_no_sense() =>
        Assert.Equal(["windows-1252"], Find("windows-1252", "M\u00FCller J\u00FCrgen").Select(one => one.Name));

    [Fact]
    public void No_two_candidates_show_the_same()
    {
        var found = Find("windows-1250", "\u017Eena k\u016F\u0148 \u0159eka \u010Das \u0161est d\u016Fm");

        Assert.InRange(found.Count, 2, 4);
        Assert.Equal(found.Count, found.Select(one => string.Join(' ', one.Telling)).Distinct().Count());
    }

    [Fact]
    public void An_only_candidate_shows_words_that_make_sense()
    {
        var found = Find("windows-1251", "\u043F\u0440\u0438\u0432\u0435\u0442 \u043C\u0438\u0440", most: 1);
        Assert.Equal(found[0].Words, found[0].Telling);
    }

    private static IReadOnlyList<EncodingCandidate> Find(string encoding, string text, int most = 4)
    {
        var evidence = new EncodingEvidence();
        evidence.Add(InputEncoding.Find(encoding).GetBytes(text));
        return evidence.Find(most);
    }
}
