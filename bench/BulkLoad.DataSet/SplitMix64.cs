namespace BulkLoad.DataSet;

/// <summary>
/// The generator of Steele, Lea and Flood ("Fast splittable pseudorandom number generators", 2014).
/// <see cref="Random"/> may change its algorithm between versions of .NET; the data set must not.
/// </summary>
internal struct SplitMix64(ulong state)
{
    private const ulong Gamma = 0x9E3779B97F4A7C15;

    private ulong _state = state;

    /// <summary>A row's own generator: rows do not depend on each other, so any order gives the same table.</summary>
    public static SplitMix64 ForRow(ulong seed, long id) => new(Mix(seed ^ Mix((ulong)id)));

    public ulong Next() => Mix(_state += Gamma);

    /// <summary>A number from 0 up to, without, <paramref name="bound"/>.</summary>
    public int Below(int bound) => (int)(((Next() >> 32) * (ulong)bound) >> 32);

    public T Pick<T>(T[] choices) => choices[Below(choices.Length)];

    private static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }
}
