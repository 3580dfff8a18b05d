SELECT ts, auction, bidder, 0.908 * price AS price,
  CASE WHEN HOUR(ts) >= 8 AND HOUR(ts) <= 18 THEN 'day' WHEN HOUR(ts) <= 6 OR HOUR(ts) >= 20 THEN 'night' ELSE 'between' END AS part,
  channel, CHAR_LENGTH(channel) - CHAR_LENGTH(REPLACE(channel, 'p', '')) AS ps
FROM bids
WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000
