using System.Diagnostics.CodeAnalysis;

namespace BulkLoad.Core.Common;

/// <summary>What a program of somebody else's can leave out when it is trimmed. <c>docs/library.md</c> says how.</summary>
internal static class Features
{
    private const string FilesSwitch = "BulkLoad.Files.IsSupported";

    /// <summary>Whether files can be read; objects always can. The trimmer takes it for a constant where the project sets it, and leaves
    /// out what is behind it: therefore it is asked in the conditions themselves.</summary>
    [FeatureSwitchDefinition(FilesSwitch)]
    public static bool Files => !AppContext.TryGetSwitch(FilesSwitch, out var isSupported) || isSupported;

    /// <exception cref="NotSupportedException">the program has no code for files</exception>
    public static void RequireFiles()
    {
        if (!Files)
        {
            throw new NotSupportedException($"{FilesSwitch} is false: this program loads no files");
        }
    }
}
