CREATE TEMPORARY TABLE read_persons (
  `number` BIGINT, ts BIGINT, id BIGINT, name STRING, city STRING, state STRING,
  happened AS CAST(TO_TIMESTAMP_LTZ(ts / 1000, 3) AS TIMESTAMP(3)),
  WATERMARK FOR happened AS happened - INTERVAL '0.001' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'file://${input}/persons', 'format' = 'avro');
CREATE TEMPORARY TABLE read_auctions (
  `number` BIGINT, ts BIGINT, id BIGINT, item STRING, reserve BIGINT, expires BIGINT, seller BIGINT, category BIGINT,
  happened AS CAST(TO_TIMESTAMP_LTZ(ts / 1000, 3) AS TIMESTAMP(3)),
  WATERMARK FOR happened AS happened - INTERVAL '0.001' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'file://${input}/auctions', 'format' = 'avro');
CREATE TEMPORARY TABLE read_bids (
  `number` BIGINT, ts BIGINT, auction BIGINT, bidder BIGINT, price BIGINT, channel STRING,
  happened AS CAST(TO_TIMESTAMP_LTZ(ts / 1000, 3) AS TIMESTAMP(3)),
  WATERMARK FOR happened AS happened - INTERVAL '0.001' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'file://${input}/bids', 'format' = 'avro');
CREATE TEMPORARY VIEW persons AS SELECT `number`, happened AS ts, id, name, city, state FROM read_persons;
CREATE TEMPORARY VIEW auctions AS
SELECT `number`, happened AS ts, id, item, reserve, CAST(TO_TIMESTAMP_LTZ(expires / 1000, 3) AS TIMESTAMP(3)) AS expires, seller, category
FROM read_auctions;
CREATE TEMPORARY VIEW bids AS SELECT `number`, happened AS ts, auction, bidder, price, channel FROM read_bids
