namespace BulkLoad;

/// <summary>How the bytes of a binary column are written in a field.</summary>
public enum BinaryForm
{
    /// <summary>Two hexadecimal digits a byte, with <c>0x</c> or <c>\x</c> before them or not.</summary>
    Hex,

    /// <summary>RFC 4648, section 4, with padding; line ends between are ignored.</summary>
    Base64,

    /// <summary>The field's own bytes.</summary>
    Raw,

    /// <summary>The 16 bytes of a UUID, in the order of its digits, as UUID_TO_BIN() has them.</summary>
    Uuid,

    /// <summary>Of a BIT column: the number of its bits.</summary>
    Number,
}
