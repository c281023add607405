using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Tests.Input.Detection;

public sealed class OtherContentTests
{
    private static InputException Fault(byte[] bytes, string name = "in") => Assert.Throws<InputException>(() =>
    {
        using var input = Inputs.Open(bytes, name: name);
        SourceProbe.Look(input, new SourceOptions());
    });

    [Theory]
    [InlineData("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "is a pointer of Git LFS")]
    [InlineData("<!DOCTYPE html>\n<html><body>Login</body></html>\n", "is a web page (HTML)")]
    [InlineData("\n  <HTML>\n<head>", "is a web page (HTML)")]
    [InlineData("<!-- x -->\n<html lang='en'>", "is a web page (HTML)")]
    [InlineData("<?xml version=\"1.0\"?>\n<rows><row id=\"1\"/></rows>", "is XML")]
    [InlineData("<rows>\n<row id=\"1\"/>\n</rows>", "is XML")]
    [InlineData("<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>",
        "is XML with an error, 'Access Denied'")]
    [InlineData("curl: (22) The requested URL returned error: 404\n", "is a message of curl")]
    [InlineData("ERROR 1045 (28000): Access denied for user\n", "is a message of mysql")]
    [InlineData("Traceback (most recent call last):\n  File\n", "is a message of Python")]
    [InlineData("cat: people.csv: No such file or directory\n", "is a message of another program")]
    [InlineData("404: Not Found", "holds only '404: Not Found'")]
    [InlineData("HTTP/1.1 200 OK\r\nServer: x\r\n\r\nid,name\r\n1,a\r\n", "begins with the head of an answer by HTTP")]
    [InlineData("-- MySQL dump 10.13\n--\n", "is an SQL dump")]
    [InlineData("/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump", "is an SQL dump")]
    [InlineData("--\n\nDROP TABLE IF EXISTS `people`;\n", "is an SQL dump")]
    [InlineData("insert into people values (1,'a');\n", "is an SQL dump")]
    [InlineData("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n", "is an SQL dump of SQLite")]
    [InlineData("-- PostgreSQL database cluster dump\n", "is an SQL dump of PostgreSQL")]
    [InlineData("%PDF-1.7\n", "is a PDF document")]
    [InlineData("\u007fELF\u0002\u0001\u0001\0\0\0", "is a program (ELF)")]
    public void What_is_no_table_is_named(string text, string expected) =>
        Assert.StartsWith($"in: {expected}", Fault(Inputs.Utf8(text)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("{\"message\":\"Not Found\",\"status\":\"404\"}\n", "is JSON with an error, 'Not Found', and no data")]
    [InlineData("{\n \"error\": {\"code\": 1},\n \"detail\": \"gone\"\n}", "is JSON with an error, 'gone', and no data")]
    [InlineData("{\"id\":1}\n{\"id\":2}\n", "is JSON, though its name does not say so")]
    [InlineData("[{\"id\":1}]", "is JSON, though its name does not say so")]
    public void Json_that_is_named_like_csv_is_named(string text, string expected)
    {
        var path = Path.Combine(Directory.CreateTempSubdirectory("bulkload-").FullName, "x.csv");
        File.WriteAllText(path, text);
        var fault = Assert.Throws<InputException>(() =>
        {
            using var input = InputFile.Open(path, new SourceOptions());
            SourceProbe.Look(input, new SourceOptions());
        });
        Directory.Delete(Path.GetDirectoryName(path)!, recursive: true);
        Assert.Equal($"{path}: {expected}", fault.Message);
    }

    [Theory]
    [InlineData("<id>,name\n1,a\n")]
    [InlineData("curl,wget\n1,2\n")]
    [InlineData("version,oid\n1,2\n")]
    [InlineData("not found\nyes\nno\n")]
    [InlineData("Create table ,x\n1,2\n")]
    [InlineData("--,name\n1,a\n")]
    [InlineData("insert into,set\n1,2\n")]
    [InlineData("ERROR CODE,name\n1,a\n")]
    [InlineData("id,name\n1,<html>\n")]
    [InlineData("<id>,html\n1,<b>x</b>\n")]
    public void What_only_looks_alike_is_read(string text)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        Assert.Equal(InputFormat.Csv, SourceProbe.Look(input, new SourceOptions()).Format);
    }

    [Fact]
    public void A_tar_archive_is_named_with_its_first_file()
    {
        var tar = new byte[1024];
        "people 1.csv"u8.CopyTo(tar);
        "ustar"u8.CopyTo(tar.AsSpan(257));
        var fault = Fault(tar);
        Assert.Equal("in: is a tar archive, and bulkload reads one file", fault.Message);
        Assert.Equal("to load a file of it: tar -xOf FILE 'people 1.csv' | bulkload import - --table NAME", fault.WaysOn[0].Purpose);
    }

    [Fact]
    public void Bytes_that_no_text_has_are_binary()
    {
        var bytes = Enumerable.Range(0, 400).Select(i => (byte)(i % 2 == 0 ? 2 + (i % 5) : i % 3 == 0 ? 0xFE : 'a')).ToArray();
        Assert.Contains("is binary", Fault(bytes).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_log_of_the_w3c_form_names_its_columns()
    {
        var fault = Fault(Inputs.Utf8("#Software: Microsoft IIS\r\n#Version: 1.0\r\n#Fields: date s-ip\r\n2024-01-01 10.0.0.1\r\n"));
        Assert.Equal("--comment # --delimiter   --no-header --columns date,s-ip", string.Join(' ', fault.WaysOn[0].Words));
    }
}
