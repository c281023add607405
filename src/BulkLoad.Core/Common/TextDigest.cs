using System.Security.Cryptography;

namespace BulkLoad.Core.Common;

/// <summary>A short word for a text, which another text hardly has.</summary>
internal static class TextDigest
{
    /// <param name="digits">at most 64</param>
    /// <returns>the first hexadecimal digits of its SHA-256</returns>
    public static string Of(string text, int digits) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)))[..digits];
}
