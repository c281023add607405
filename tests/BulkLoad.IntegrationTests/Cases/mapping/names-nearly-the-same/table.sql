CREATE TABLE people (id INT, updated_at DATE, n_client INT);
