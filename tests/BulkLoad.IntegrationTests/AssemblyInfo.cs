using Xunit.v3;

// Tests wait for servers, clocks and programs more than they compute: twice as many as there are cores keep these busy.
[assembly: Parallelization(MaxThreads = 4)]
