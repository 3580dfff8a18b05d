CREATE TEMPORARY TABLE events (
  kind INT, `number` BIGINT, ts TIMESTAMP(3),
  person ROW<id BIGINT, name STRING, city STRING, state STRING>,
  auction ROW<id BIGINT, item STRING, reserve BIGINT, expires TIMESTAMP(3), seller BIGINT, category BIGINT>,
  bid ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel STRING>,
  WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND
) WITH ('connector' = 'nexmark', 'events' = '${events}', 'seed' = '${seed}', 'gap_us' = '${gap_us}');
CREATE TEMPORARY VIEW persons AS
SELECT `number`, ts, person.id AS id, person.name AS name, person.city AS city, person.state AS state
FROM events WHERE kind = 0;
CREATE TEMPORARY VIEW auctions AS
SELECT `number`, ts, auction.id AS id, auction.item AS item, auction.reserve AS reserve, auction.expires AS expires,
  auction.seller AS seller, auction.category AS category
FROM events WHERE kind = 1;
CREATE TEMPORARY VIEW bids AS
SELECT `number`, ts, bid.auction AS auction, bid.bidder AS bidder, bid.price AS price, bid.channel AS channel
FROM events WHERE kind = 2
