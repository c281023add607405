CREATE TABLE `odd ``name` (id INT PRIMARY KEY);
