-- MySQL dump 10.13
--
DROP TABLE IF EXISTS `people`;
