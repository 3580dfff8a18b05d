CREATE OR REPLACE TEMPORARY VIEW persons (number BIGINT, ts TIMESTAMP, id BIGINT, name STRING, city STRING, state STRING)
USING parquet OPTIONS (path '${input}/persons');
CREATE OR REPLACE TEMPORARY VIEW auctions (
  number BIGINT, ts TIMESTAMP, id BIGINT, item STRING, reserve BIGINT, expires TIMESTAMP, seller BIGINT, category BIGINT
) USING parquet OPTIONS (path '${input}/auctions');
CREATE OR REPLACE TEMPORARY VIEW bids (number BIGINT, ts TIMESTAMP, auction BIGINT, bidder BIGINT, price BIGINT, channel STRING)
USING parquet OPTIONS (path '${input}/bids')
