using System.Text;

namespace BulkLoad.DataSet;

/// <summary>Names and addresses: mostly plain, with a known share of everything that a format has to quote or escape.</summary>
internal static class UserName
{
    private static readonly byte[][] First = Utf8(
        "Ada", "Max", "Mia", "Noah", "Emma", "Liam", "Olivia", "Elias", "Zoë", "José", "Łukasz", "Siân", "Åsa", "Jürgen", "François",
        "Grace", "Alan", "Edsger", "Barbara", "Donald", "Margaret", "Dennis", "Frances", "Ken", "Radia", "Linus", "Hedy", "Niklaus",
        "Олена", "Δήμητρα", "李伟", "さくら", "지우", "Adebayo", "Priya", "Fatima", "Ngozi", "Anh", "Carlos", "Ingrid");

    private static readonly byte[][] Last = Utf8(
        "O'Neil", "Lovelace", "Smith", "Müller", "García", "Nowak", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Hamilton",
        "Ritchie", "Allen", "Perlman", "Wirth", "Lamarr", "Ivanova", "Παππάς", "王", "佐藤", "김", "Okafor", "Sharma", "Nguyễn",
        "Jensen", "Rossi", "Dubois", "Ó Briain", "de la Cruz", "Al-Khwarizmi", "Kowalczyk", "Andersson", "Haddad", "Silva", "Brown");

    private static readonly byte[][] Nick = Utf8("Max", "Ace", "The Count", "J.R.", "Zed", "Blue, Jr.", "\"");

    private static readonly byte[][] Emoji = Utf8("🙂", "🚀", "👩‍💻", "🇺🇦", "𝒜", "𠮷", "👍🏽");

    private static readonly byte[][] Combined = Utf8("Ame\u0301lie", "A\u030Angstro\u0308m", "Nguye\u0302\u0303n", "Z\u0351\u0357al\u0334go", "हिन्दी", "קָמָץ");

    private static readonly byte[][] Account = Utf8(
        "ada", "max", "mia", "noah", "emma", "liam", "olivia", "elias", "zoe", "jose", "grace", "alan", "edsger", "barbara", "ken",
        "radia", "linus", "hedy", "priya", "ingrid");

    private static readonly byte[][] Domain = Utf8("example.com", "example.org", "example.net", "mail.example", "post.example.org");

    // 64 characters, the most that the column holds; in bytes it is four times as long.
    private static readonly byte[] Longest = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("🙂", 64)));

    public static void Append(UserRow row, ref SplitMix64 random)
    {
        byte[] first = random.Pick(First);
        byte[] last = random.Pick(Last);
        switch (random.Below(10_000))
        {
            case < 10:
                Join(row, "C:\\"u8, first, "\\"u8, last, "\\"u8);
                break;
            case < 20:
                Join(row, first, "\t"u8, last);
                break;
            case < 30:
                Join(row, first, "\n"u8, last);
                break;
            case < 40:
                Join(row, first, "\r\n"u8, last);
                break;
            case < 50:
                // Text that looks like NULL, and must not become it.
                row.Append("\\N"u8);
                break;
            case < 60:
                row.Append("NULL"u8);
                break;
            case < 70:
                row.Append(Longest);
                break;
            case < 80:
                Join(row, " "u8, first, " "u8);
                break;
            case < 90:
                break;
            case < 140:
                Join(row, first, " "u8, random.Pick(Emoji));
                break;
            case < 190:
                Join(row, random.Pick(Combined), " "u8, last);
                break;
            case < 390:
                Join(row, last, ", \""u8, random.Pick(Nick), "\" "u8, first);
                break;
            case < 590:
                Join(row, last, ", "u8, first);
                break;
            case < 640:
                Join(row, first, " \""u8, random.Pick(Nick), "\" "u8, last);
                break;
            default:
                Join(row, first, " "u8, last);
                break;
        }
    }

    public static void AppendEmail(UserRow row, ref SplitMix64 random)
    {
        row.Append(random.Pick(Account));
        row.Append("."u8);
        row.Append(random.Pick(Account));
        row.AppendNumber(random.Below(10_000));
        row.Append("@"u8);
        row.Append(random.Pick(Domain));
    }

    private static void Join(UserRow row, ReadOnlySpan<byte> a, ReadOnlySpan<byte> b, ReadOnlySpan<byte> c, ReadOnlySpan<byte> d = default, ReadOnlySpan<byte> e = default)
    {
        row.Append(a);
        row.Append(b);
        row.Append(c);
        row.Append(d);
        row.Append(e);
    }

    private static byte[][] Utf8(params string[] texts) => [.. texts.Select(Encoding.UTF8.GetBytes)];
}
