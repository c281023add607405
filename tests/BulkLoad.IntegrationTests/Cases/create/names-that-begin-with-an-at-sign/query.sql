SELECT * FROM logs;
