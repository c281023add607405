namespace BulkLoad.Core.Values.Notations;

/// <summary>Names of months and days in English, German, French, Spanish, Italian, Portuguese and Dutch. No name means another month or day
/// in another of these languages, so that the user need not say the language.</summary>
internal static class CalendarNames
{
    private const int CapitalBit = 0x20;

    private static readonly byte[][][] Months = Split(
    [
        "january januar jänner janvier enero gennaio janeiro januari", "february februar février febrero febbraio fevereiro februari",
        "march märz mars marzo março maart", "april avril abril aprile", "may mai mayo maggio maio mei",
        "june juni juin junio giugno junho", "july juli juillet julio luglio julho", "august août agosto augustus",
        "september septembre septiembre setiembre settembre setembro", "october oktober octobre octubre ottobre outubro",
        "november novembre noviembre novembro", "december dezember décembre diciembre dicembre dezembro",
    ]);

    private static readonly byte[][][] ShortMonths = Split(
    [
        "jan jän janv ene gen", "feb fév févr fev", "mar mär märz mrz mars mrt", "apr avr abr", "may mai mag mei", "jun juni juin giu",
        "jul juli juil lug", "aug août ago", "sep sept set", "oct okt ott out", "nov", "dec dez déc dic",
    ]);

    private static readonly byte[][][] Days = Split(
    [
        "sunday sonntag dimanche domingo domenica zondag", "monday montag lundi lunes lunedì segunda-feira maandag",
        "tuesday dienstag mardi martes martedì terça-feira dinsdag",
        "wednesday mittwoch mercredi miércoles mercoledì quarta-feira woensdag",
        "thursday donnerstag jeudi jueves giovedì quinta-feira donderdag", "friday freitag vendredi viernes venerdì sexta-feira vrijdag",
        "saturday samstag sonnabend samedi sábado sabato zaterdag",
    ]);

    private static readonly byte[][][] ShortDays = Split(
    [
        "sun so dim dom zo", "mon mo lun seg ma", "tue di mar ter", "wed mi mer mié qua wo", "thu do jeu jue gio qui",
        "fri fr ven vie sex vr", "sat sa sam sáb sab za",
    ]);

    /// <summary>Removes a month's name from the text, in any case.</summary>
    /// <returns>0-based; negative: there is none</returns>
    public static int TakeMonth(ref ReadOnlySpan<byte> text, bool isShort) => Take(ref text, isShort ? ShortMonths : Months);

    /// <summary>0 is Sunday; negative: there is none.</summary>
    public static int TakeDay(ref ReadOnlySpan<byte> text, bool isShort) => Take(ref text, isShort ? ShortDays : Days);

    /// <summary>Takes the longest name at the start: <c>mar</c> is not the end of <c>mars</c>.</summary>
    private static int Take(ref ReadOnlySpan<byte> text, byte[][][] names)
    {
        var (found, length) = (-1, 0);
        for (var i = 0; i < names.Length; i++)
        {
            foreach (var name in names[i])
            {
                if (name.Length > length && Starts(text, name))
                {
                    (found, length) = (i, name.Length);
                }
            }
        }

        text = text[length..];
        return found;
    }

    /// <summary>A capital differs by one bit, in UTF-8 also where it has an accent of Latin-1.</summary>
    /// <param name="name">in small letters</param>
    private static bool Starts(ReadOnlySpan<byte> text, byte[] name)
    {
        if (text.Length < name.Length)
        {
            return false;
        }

        for (var i = 0; i < name.Length; i++)
        {
            if ((text[i] | (name[i] < 'a' ? 0 : name[i] & CapitalBit)) != name[i])
            {
                return false;
            }
        }

        return true;
    }

    private static byte[][][] Split(string[] names) => [.. names.Select(same => same.Split(' ').Select(Encoding.UTF8.GetBytes).ToArray())];
}
