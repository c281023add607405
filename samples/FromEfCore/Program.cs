// Loads the entities of an EF Core context in bulk. Here the context is in memory; with yours, only the type of it differs.
//
//     dotnet run --project samples/FromEfCore -- mysql://user:password@127.0.0.1/shop
using BulkLoad;
using FromEfCore;
using Microsoft.EntityFrameworkCore;

if (args is not [var url])
{
    Console.Error.WriteLine("usage: FromEfCore mysql://user:password@host/database");
    return 2;
}

await using var shop = new ShopContext(new DbContextOptionsBuilder<ShopContext>().UseInMemoryDatabase("shop").Options);
shop.Orders.AddRange(Enumerable.Range(1, 1_000).Select(id => new Order { Id = id, Buyer = $"buyer {id}", Total = id * 1.25m }));
await shop.SaveChangesAsync();

// A query is read as a stream: the library enumerates it once, on a thread of its own, and the context must not be used meanwhile.
await using var orders = BulkLoader.Into(url, "ef_orders");
var loaded = await orders.LoadAsync(shop.Orders.AsNoTracking().Where(order => order.Total > 100).AsAsyncEnumerable(), Maps.Order);
Console.WriteLine($"inserted {loaded.Counts.Inserted} of {loaded.Counts.Read}");

// What the context has tracked as changed, as one bulk update in the place of a statement a row.
foreach (var order in shop.Orders.Where(order => order.Id % 10 == 0))
{
    order.Buyer = order.Buyer.ToUpperInvariant();
}

var changed = shop.ChangeTracker.Entries<Order>().Where(entry => entry.State == EntityState.Modified).Select(entry => entry.Entity);
var updated = await orders.UpdateAsync(changed, Maps.Order, [nameof(Order.Id)], new BulkOptions { IgnoreMissing = true });
shop.ChangeTracker.AcceptAllChanges();
Console.WriteLine($"updated {updated.Counts.Updated}, not there {updated.Counts.NotFound}");
return 0;
