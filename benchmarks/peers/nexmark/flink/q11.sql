SELECT bidder, window_start AS since, window_end AS `until`, COUNT(*) AS bids
FROM TABLE(SESSION(TABLE bids PARTITION BY bidder, DESCRIPTOR(ts), INTERVAL '1' SECOND))
GROUP BY bidder, window_start, window_end
