INSERT INTO people VALUES (1, 'x', 't', 5), (2, 'y', NULL, NULL);
