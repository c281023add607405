namespace BulkLoad.Core.Suggesting;

/// <summary>Words that people have for true and false, in small letters.</summary>
internal static class TruthPairs
{
    private static readonly (string True, string False)[] Known =
    [
        ("wahr", "falsch"), ("ja", "nein"), ("j", "n"), ("vrai", "faux"), ("oui", "non"), ("o", "n"), ("verdadero", "falso"), ("sí", "no"),
        ("si", "no"), ("s", "n"), ("vero", "falso"), ("sì", "no"),
        ("verdadeiro", "falso"), ("sim", "não"), ("sim", "nao"), ("waar", "onwaar"), ("ja", "nee"), ("sant", "usant"), ("ja", "nei"),
        ("sand", "falsk"), ("ja", "nej"), ("sant", "falskt"),
        ("tosi", "epätosi"), ("kyllä", "ei"), ("prawda", "fałsz"), ("tak", "nie"), ("t", "n"), ("pravda", "nepravda"), ("ano", "ne"),
        ("áno", "nie"), ("igaz", "hamis"), ("igen", "nem"),
        ("adevărat", "fals"), ("da", "nu"), ("istina", "laž"), ("da", "ne"), ("истина", "ложь"), ("да", "нет"), ("так", "ні"), ("да", "не"),
        ("αληθές", "ψευδές"), ("ναι", "όχι"), ("doğru", "yanlış"), ("evet", "hayır"),
        ("e", "h"), ("tõene", "väär"), ("jah", "ei"), ("taip", "ne"), ("jā", "nē"), ("true", "false"), ("yes", "no"), ("on", "off"),
        ("active", "inactive"), ("aktiv", "inaktiv"), ("x", "-"), ("是", "否"), ("はい", "いいえ"), ("예", "아니오"),
    ];

    /// <summary>Words beside the usual ones: which mean true, and which false. Null where some are not known, or mean both.</summary>
    /// <param name="words">distinct, in small letters, none of them one that is taken anyway</param>
    public static (string[] True, string[] False)? Find(IReadOnlyCollection<string> words)
    {
        var pair = Known.FirstOrDefault(known => words.All(word => word == known.True || word == known.False));
        if (pair.True is not null)
        {
            return (words.Contains(pair.True) ? [pair.True] : [], words.Contains(pair.False) ? [pair.False] : []);
        }

        string[] yes = [.. words.Where(word => Known.Any(known => known.True == word))];
        string[] no = [.. words.Where(word => Known.Any(known => known.False == word))];
        return words.All(word => yes.Contains(word) != no.Contains(word)) ? (yes, no) : null;
    }
}
