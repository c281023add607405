CREATE TABLE t (id INT, born DATE);
