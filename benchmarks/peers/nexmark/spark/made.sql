CREATE OR REPLACE TEMPORARY VIEW events AS
SELECT id AS number, CAST(${seed} AS BIGINT) AS seed, id div 50 AS epoch, id % 50 AS place,
  timestamp_micros(unix_micros(TIMESTAMP '2026-01-01T00:00:00Z') + id * ${gap_us} div 1000 * 1000) AS ts
FROM range(0, ${events}, 1, 2);
CREATE OR REPLACE TEMPORARY VIEW persons AS
SELECT number, ts, 1000 + epoch AS id,
  concat(
    element_at(array('Ada', 'Bo', 'Carl', 'Dora', 'Emil', 'Fay', 'Gil', 'Hana', 'Ines'),
      CAST(1 + pmod(xxhash64(seed, number, 1), 9) AS INT)), ' ',
    element_at(array('Ames', 'Beck', 'Cole', 'Dunn', 'Eads', 'Fox', 'Gray'), CAST(1 + pmod(xxhash64(seed, number, 2), 7) AS INT))
  ) AS name,
  element_at(array('Portland', 'Boise', 'Reno', 'Fresno', 'Tucson'), CAST(1 + pmod(xxhash64(seed, number, 3), 5) AS INT)) AS city,
  element_at(array('OR', 'ID', 'CA', 'NV', 'AZ', 'WA'), CAST(1 + pmod(xxhash64(seed, number, 4), 6) AS INT)) AS state
FROM events WHERE place = 0;
CREATE OR REPLACE TEMPORARY VIEW auctions AS
SELECT number, ts, 1000 + epoch * 3 + place - 1 AS id, concat('item ', number) AS item,
  100 + pmod(xxhash64(seed, number, 1), 10000) AS reserve,
  timestamp_micros(unix_micros(ts) + (200 + pmod(xxhash64(seed, number, 2), 801)) * ${gap_us} div 1000 * 1000) AS expires,
  1000 + greatest(0, epoch - pmod(xxhash64(seed, number, 3), 50)) AS seller,
  10 + pmod(xxhash64(seed, number, 4), 5) AS category
FROM events WHERE place > 0 AND place < 4;
CREATE OR REPLACE TEMPORARY VIEW bids AS
SELECT number, ts,
  1000 + if(pmod(xxhash64(seed, number, 1), 2) = 0, (epoch * 3 + 2) div 10 * 10,
    greatest(0, epoch * 3 + 2 - pmod(xxhash64(seed, number, 2), 60))) AS auction,
  1000 + if(pmod(xxhash64(seed, number, 3), 4) > 0, epoch div 10 * 10,
    greatest(0, epoch - pmod(xxhash64(seed, number, 4), 50))) AS bidder,
  CAST(round(100 * pow(10, pmod(xxhash64(seed, number, 5), 6000000) / 1000000D)) AS BIGINT) AS price,
  element_at(array('web', 'app', 'phone', 'partner'), CAST(1 + pmod(xxhash64(seed, number, 6), 4) AS INT)) AS channel
FROM events WHERE place >= 4
