using BulkLoad.DataSet;

return DataSetCommand.Create().Parse(args).Invoke();
