CREATE TABLE sales (item VARCHAR(20), pieces INT, price DECIMAL(6,2));
