CREATE TABLE t (day DATE, shop INT, sold DECIMAL(8,2), PRIMARY KEY (day, shop));
