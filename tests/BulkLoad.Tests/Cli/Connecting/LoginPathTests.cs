using System.Buffers.Binary;
using System.Security.Cryptography;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Host;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Cli.Connecting;

public sealed class LoginPathTests
{
    private const string Text =
        "[client]\nuser = \"app\"\npassword = \"s3#cret\"\n[prod]\nuser = \"deploy\"\nhost = \"db.example\"\nport = 3307\n";

    private readonly List<string> _warnings = [];

    [Fact]
    public void What_was_encoded_is_decoded() => Assert.Equal(Text, LoginPath.Decode(Encoded(Text)));

    [Fact]
    public void The_client_group_is_always_read_and_a_path_lies_over_it()
    {
        var files = new FakeFiles().With("/home/me/.mylogin.cnf", Encoded(Text));

        var plain = Read(files, new OptionFileChoice { None = true });
        var prod = Read(files, new OptionFileChoice { LoginPath = "prod" });

        Assert.Equal(("app", "s3#cret", null), (plain.User, plain.Password, plain.Host));
        Assert.Equal(("deploy", "s3#cret", "db.example", 3307), (prod.User, prod.Password, prod.Host, prod.Port));
    }

    [Fact]
    public void A_variable_names_another_file()
    {
        var files = new FakeFiles().With("/elsewhere", Encoded(Text));

        Assert.Equal("app", Read(files, new OptionFileChoice(), "/elsewhere").User);
    }

    [Fact]
    public void A_path_that_was_named_must_be_there() =>
        Assert.Equal(
            "--login-path: /home/me/.mylogin.cnf has no group 'prod'",
            Assert.Throws<RequestException>(() => Read(new FakeFiles(), new OptionFileChoice { LoginPath = "prod" })).Message);

    [Fact]
    public void A_file_that_others_may_read_is_passed_over()
    {
        var files = new FakeFiles().With("/home/me/.mylogin.cnf", Encoded(Text), UnixFileMode.UserRead | UnixFileMode.GroupRead);

        Assert.Equal(new ConnectionSettings(), Read(files, new OptionFileChoice()));
        Assert.Equal(
            ["/home/me/.mylogin.cnf: others may read or write this login path file, so it is ignored (chmod 600 fixes it)"], _warnings);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(23)]
    [InlineData(26)]
    [InlineData(40)]
    public void A_file_cut_short_is_passed_over(int length)
    {
        var files = new FakeFiles().With("/home/me/.mylogin.cnf", Encoded(Text)[..length]);

        Assert.Equal(new ConnectionSettings(), Read(files, new OptionFileChoice()));
        Assert.StartsWith("/home/me/.mylogin.cnf: this login path file cannot be read", Assert.Single(_warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Bytes_that_are_no_such_file_are_passed_over()
    {
        var damaged = Encoded(Text);
        damaged[30] ^= 1;
        var files = new FakeFiles().With("/home/me/.mylogin.cnf", damaged);

        Assert.Equal(new ConnectionSettings(), Read(files, new OptionFileChoice()));
        Assert.Single(_warnings);
    }

    private ConnectionSettings Read(FakeFiles files, OptionFileChoice choice, string? elsewhere = null)
    {
        var host = new HostEnvironment
        {
            Output = TextWriter.Null,
            Error = TextWriter.Null,
            Variable = name => name == "MYSQL_TEST_LOGIN_FILE" ? elsewhere : null,
            Home = "/home/me",
            Files = files,
        };
        return new LoginPath(host, _warnings.Add).Read(choice);
    }

    /// <summary>Four bytes unused, the key's seed, then each line encrypted by itself behind its length.</summary>
    internal static byte[] Encoded(string text)
    {
        var seed = Enumerable.Range(0, 20).Select(i => (byte)(i * 13 % 32)).ToArray();
        using var aes = Aes.Create();
        aes.Key = LoginPath.KeyOf(seed);
        using var file = new MemoryStream();
        file.Write([0, 0, 0, 0]);
        file.Write(seed);
        foreach (var line in text.Split('\n').SkipLast(1))
        {
            var cipher = aes.EncryptEcb(Encoding.UTF8.GetBytes(line + "\n"), PaddingMode.PKCS7);
            var length = new byte[4];
            BinaryPrimitives.WriteInt32LittleEndian(length, cipher.Length);
            file.Write(length);
            file.Write(cipher);
        }

        return file.ToArray();
    }
}
