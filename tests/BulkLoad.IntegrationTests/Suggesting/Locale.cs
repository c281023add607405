namespace BulkLoad.IntegrationTests.Suggesting;

/// <summary>How people of a country write values into files.</summary>
/// <param name="Encoding">of their spreadsheets, where it is not Unicode</param>
/// <param name="Date">.NET pattern</param>
/// <param name="Time">.NET pattern</param>
/// <param name="Thousands">between thousands; several: any of them</param>
/// <param name="Currency">behind the number, or in front where it ends with a blank or is one sign</param>
internal sealed record Locale(
    string Name, string Encoding, string Date, string Time, string Decimal, string Thousands, string Currency, bool IsCurrencyFirst,
    string True, string False, params string[] Names)
{
    public static IReadOnlyList<Locale> All { get; } =
    [
        new("de-DE", "windows-1252", "dd.MM.yyyy", "HH:mm", ",", ".", "€", false, "WAHR", "FALSCH", "Müller", "Weiß", "Jäger", "Größler"),
        new("de-CH", "windows-1252", "dd.MM.yyyy", "HH:mm", ".", "'", "CHF", true, "WAHR", "FALSCH", "Zürcher", "Bürgi", "Grüter"),
        new("fr-FR", "windows-1252", "dd/MM/yyyy", "HH:mm", ",", "\u00A0", "€", false, "VRAI", "FAUX", "Hélène", "François",
            "Noël", "Benoît"),
        new("it-IT", "windows-1252", "dd/MM/yyyy", "HH:mm", ",", ".", "€", true, "VERO", "FALSO", "Niccolò", "Forlì", "Bontà"),
        new("es-ES", "windows-1252", "d/M/yyyy", "H:mm", ",", ".", "€", false, "VERDADERO", "FALSO", "Núñez", "José", "Íñigo"),
        new("pt-BR", "windows-1252", "dd/MM/yyyy", "HH:mm", ",", ".", "R$", true, "VERDADEIRO", "FALSO", "João", "Conceição", "Antônio"),
        new("nl-NL", "windows-1252", "d-M-yyyy", "HH:mm", ",", ".", "€", true, "WAAR", "ONWAAR", "Daniël", "Zoë", "André"),
        new("da-DK", "windows-1252", "dd-MM-yyyy", "HH.mm", ",", ".", "kr.", false, "SAND", "FALSK", "Søren", "Æbleø", "Åse"),
        new("sv-SE", "windows-1252", "yyyy-MM-dd", "HH:mm", ",", "\u00A0", "kr", false, "SANT", "FALSKT", "Åke", "Björn", "Sköld"),
        new("nb-NO", "windows-1252", "dd.MM.yyyy", "HH.mm", ",", "\u00A0", "kr", true, "SANN", "USANN", "Bjørn", "Håkon", "Ærlig"),
        new("fi-FI", "windows-1252", "d.M.yyyy", "H.mm", ",", "\u00A0", "€", false, "TOSI", "EPÄTOSI", "Väinö", "Mäkelä"),
        new("pl-PL", "windows-1250", "dd.MM.yyyy", "HH:mm", ",", "\u00A0", "zł", false, "PRAWDA", "FAŁSZ", "Łukasz", "Świątek", "Żółć"),
        new("cs-CZ", "windows-1250", "dd.MM.yyyy", "H:mm", ",", "\u00A0", "Kč", false, "PRAVDA", "NEPRAVDA", "Dvořák", "Žďár", "Růžička"),
        new("hu-HU", "windows-1250", "yyyy.MM.dd.", "H:mm", ",", "\u00A0", "Ft", false, "IGAZ", "HAMIS", "Erdős", "Gyűrű", "Szőke"),
        new("ru-RU", "windows-1251", "dd.MM.yyyy", "H:mm", ",", "\u00A0", "руб", false, "ИСТИНА", "ЛОЖЬ", "Иванов", "Щукин", "Объедков"),
        new("tr-TR", "windows-1254", "d.MM.yyyy", "HH:mm", ",", ".", "TL", false, "DOĞRU", "YANLIŞ", "Yıldırım", "Şahin", "Özgür", "Işık"),
        new("el-GR", "windows-1253", "d/M/yyyy", "h:mm tt", ",", ".", "€", false, "ΑΛΗΘΕΣ", "ΨΕΥΔΕΣ", "Παπαδόπουλος", "Ελένη"),
        new("en-US", "windows-1252", "M/d/yyyy", "h:mm tt", ".", ",", "$", true, "TRUE", "FALSE", "Zoë", "Beyoncé", "Smith"),
        new("en-GB", "windows-1252", "dd/MM/yyyy", "HH:mm", ".", ",", "£", true, "TRUE", "FALSE", "Brontë", "Jones"),
        new("en-IN", "utf-8", "dd-MM-yyyy", "HH:mm", ".", ",", "₹", true, "TRUE", "FALSE", "Arjun", "Desai"),
        new("ja-JP", "shift_jis", "yyyy/MM/dd", "H:mm", ".", ",", "円", false, "はい", "いいえ", "鈴木", "佐藤", "田中太郎"),
    ];

    public string Number(decimal value, int digits, bool groups)
    {
        var text = Math.Abs(value).ToString($"F{digits}", CultureInfo.InvariantCulture);
        var (whole, fraction) = text.Split('.') is [var before, var after] ? (before, after) : (text, "");
        if (groups)
        {
            var size = Name == "en-IN" ? 2 : 3;
            for (var at = whole.Length - 3; at > 0; at -= size)
            {
                whole = whole.Insert(at, Thousands);
            }
        }

        return $"{(value < 0 ? "-" : "")}{whole}{(fraction.Length > 0 ? Decimal + fraction : "")}";
    }

    public string Price(decimal value) =>
        IsCurrencyFirst ? $"{Currency} {Number(value, 2, groups: true)}" : $"{Number(value, 2, groups: true)} {Currency}";
}
