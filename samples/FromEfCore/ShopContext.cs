using System.ComponentModel.DataAnnotations.Schema;
using BulkLoad;
using Microsoft.EntityFrameworkCore;

namespace FromEfCore;

internal sealed class ShopContext(DbContextOptions<ShopContext> options) : DbContext(options)
{
    public DbSet<Order> Orders => Set<Order>();
}

/// <summary>An entity as it is: the generator takes EF's attributes.</summary>
internal sealed class Order
{
    public int Id { get; set; }

    [Column("buyer_name")]
    public required string Buyer { get; set; }

    public decimal Total { get; set; }

    [NotMapped]
    public string Title => $"{Buyer}: {Total}";
}

/// <summary>The maps of the context's entities; members that lead to other entities are named in Ignore.</summary>
[BulkMap(typeof(Order))]
internal static partial class Maps;
