SELECT B.ts AS ts, B.auction AS auction, B.bidder AS bidder, B.price AS price
FROM bids B JOIN (
  SELECT MAX(price) AS price, window_start, window_end
  FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '10' SECOND))
  GROUP BY window_start, window_end
) M ON B.price = M.price
WHERE B.ts >= M.window_start AND B.ts < M.window_end
