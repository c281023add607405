using System.Xml;

namespace BulkLoad.Cli.Ci;

/// <summary>A test case for each file, its failure with the first rejects.</summary>
internal static class JUnitXml
{
    private const int MaxRejects = 10;
    private const string SuitePrefix = "bulkload ";

    /// <summary>Whether a file that begins so is a report of an earlier run.</summary>
    public static bool IsOwn(string start) => start.StartsWith("<?xml ", StringComparison.Ordinal)
        && start.Contains("<testsuites>", StringComparison.Ordinal)
        && start.Contains($"<testsuite name=\"{SuitePrefix}", StringComparison.Ordinal);

    public static void Write(Stream to, CiResult result, Annotations annotations)
    {
        using var xml = XmlWriter.Create(to,
            new XmlWriterSettings
            {
                Indent = true,
                Encoding = new UTF8Encoding(
            encoderShouldEmitUTF8Identifier: false),
                CheckCharacters = false
            });
        xml.WriteStartElement("testsuites");
        xml.WriteStartElement("testsuite");
        xml.WriteAttributeString("name", $"{SuitePrefix}{result.Command}");
        xml.WriteAttributeString("tests", $"{result.Cases.Count}");
        xml.WriteAttributeString("failures", $"{result.Cases.Count(IsBad)}");
        xml.WriteAttributeString("errors", "0");
        xml.WriteAttributeString("skipped", $"{result.Cases.Count(one => one.IsSkipped)}");
        xml.WriteAttributeString("time", $"{result.Elapsed.TotalSeconds:0.000}");
        foreach (var one in result.Cases)
        {
            Case(xml, one, result, annotations);
        }

        xml.WriteEndElement();
        xml.WriteEndElement();
    }

    private static bool IsBad(CiCase one) => one.Failure is not null || one.Rejected > 0;

    private static void Case(XmlWriter xml, CiCase one, CiResult result, Annotations annotations)
    {
        xml.WriteStartElement("testcase");
        xml.WriteAttributeString("classname", Clean(one.Table));
        xml.WriteAttributeString("name", Clean(one.Name));
        xml.WriteAttributeString("time", $"{one.Elapsed.TotalSeconds:0.000}");
        if (one.IsSkipped)
        {
            xml.WriteElementString("skipped", "");
        }
        else if (IsBad(one))
        {
            xml.WriteStartElement("failure");
            var refused = $"{one.Rejected} {Plural.For(one.Rejected, "record was", "records were")} refused";
            xml.WriteAttributeString("message", Clean(one.Failure is null ? refused : annotations.FailureOf(one.Failure)));
            var rejects = one.Rejects.Take(MaxRejects)
                .Select(reject => $"{(reject with { Source = annotations.PathOf(reject.Source) }).Where}: {annotations.MessageOf(reject)}");
            var advice = one.Failure is not null && one.Failure == result.Failure ? annotations.AdviceOf(result) : [];
            xml.WriteString(Clean(string.Join('\n', rejects.Concat(advice))));
            xml.WriteEndElement();
        }

        xml.WriteEndElement();
    }

    /// <summary>XML 1.0 has no control characters, not even escaped.</summary>
    private static string Clean(string text) =>
        string.Concat(text.Select(letter => XmlConvert.IsXmlChar(letter) || char.IsSurrogate(letter) ? letter : '\uFFFD'));
}
