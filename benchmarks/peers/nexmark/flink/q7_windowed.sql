SELECT B.ts AS ts, B.auction AS auction, B.bidder AS bidder, B.price AS price
FROM bids B JOIN (
  SELECT window_time AS ts, window_start AS since, MAX(price) AS price
  FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '10' SECOND))
  GROUP BY window_start, window_end, window_time
) M ON B.price = M.price AND B.ts BETWEEN M.ts - INTERVAL '10' SECOND AND M.ts AND B.ts >= M.since
