CREATE TABLE order_lines (order_id INT, line INT, amount DECIMAL(6,2) NOT NULL, PRIMARY KEY (order_id, line));
INSERT INTO order_lines VALUES (1,1,9.50),(1,2,3),(2,1,7);
