CREATE TABLE people (id INT, name VARCHAR(9), updated_at DATE);
