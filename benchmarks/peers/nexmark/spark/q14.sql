SELECT ts, auction, bidder, 0.908 * price AS price,
  CASE WHEN hour(ts) >= 8 AND hour(ts) <= 18 THEN 'day' WHEN hour(ts) <= 6 OR hour(ts) >= 20 THEN 'night' ELSE 'between' END AS part,
  channel, length(channel) - length(replace(channel, 'p', '')) AS ps
FROM bids
WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000
