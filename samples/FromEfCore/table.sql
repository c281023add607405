CREATE TABLE ef_orders (
  id INT PRIMARY KEY,
  buyer_name VARCHAR(40) NOT NULL,
  total DECIMAL(12,2) NOT NULL
);
