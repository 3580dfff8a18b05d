CREATE TEMPORARY TABLE persons (
  `number` BIGINT, ts TIMESTAMP(3), id BIGINT, name STRING, city STRING, state STRING,
  WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'file://${input}/persons', 'format' = 'csv');
CREATE TEMPORARY TABLE auctions (
  `number` BIGINT, ts TIMESTAMP(3), id BIGINT, item STRING, reserve BIGINT, expires TIMESTAMP(3), seller BIGINT, category BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'file://${input}/auctions', 'format' = 'csv');
CREATE TEMPORARY TABLE bids (
  `number` BIGINT, ts TIMESTAMP(3), auction BIGINT, bidder BIGINT, price BIGINT, channel STRING,
  WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'file://${input}/bids', 'format' = 'csv')
