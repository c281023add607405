CREATE TABLE t (id INT, name VARCHAR(40), born DATE);
