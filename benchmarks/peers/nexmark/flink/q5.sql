WITH counts AS (
  SELECT auction, COUNT(*) AS bids, window_start, window_end
  FROM TABLE(HOP(TABLE bids, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
  GROUP BY auction, window_start, window_end
)
SELECT C.window_end AS `until`, C.auction AS auction, C.bids AS bids
FROM counts C JOIN (
  SELECT MAX(bids) AS most, window_start, window_end FROM counts GROUP BY window_start, window_end
) M ON C.window_start = M.window_start AND C.window_end = M.window_end AND C.bids >= M.most
