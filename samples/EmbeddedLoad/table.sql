CREATE TABLE embedded_people (
  id INT PRIMARY KEY,
  full_name VARCHAR(40) NOT NULL,
  city VARCHAR(40),
  born DATE,
  seen DATETIME,
  status ENUM('Active', 'Gone') NOT NULL,
  balance DECIMAL(12,2) NOT NULL,
  row_key BINARY(16) NOT NULL,
  photo BLOB
);

CREATE TABLE embedded_points (
  point_id INT PRIMARY KEY,
  longitude DOUBLE NOT NULL,
  label_text VARCHAR(40) NOT NULL
);
