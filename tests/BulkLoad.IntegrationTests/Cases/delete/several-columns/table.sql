CREATE TABLE items (order_id INT, line INT, what VARCHAR(9), PRIMARY KEY (order_id, line));
INSERT INTO items VALUES (1,1,'a'),(1,2,'b'),(2,1,'c'),(2,2,'d');
