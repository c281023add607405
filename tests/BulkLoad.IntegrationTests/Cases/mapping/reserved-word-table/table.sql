CREATE TABLE `order` (`key` INT PRIMARY KEY, `index` VARCHAR(9));
