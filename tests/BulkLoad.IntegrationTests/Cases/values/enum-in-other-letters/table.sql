CREATE TABLE t (id INT PRIMARY KEY, e ENUM('open','paid'));
