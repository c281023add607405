CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a','it''s','2'), s SET('x','y'));
