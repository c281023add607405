using Xunit;

// Tests wait for servers, clocks and programs more than they compute: twice as many as there are cores keep these busy.
[assembly: CollectionBehavior(MaxParallelThreads = 4)]
