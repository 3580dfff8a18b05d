WITH timed AS (SELECT bidder, PROCTIME() AS at_ms FROM bids)
SELECT bidder, window_start AS since, window_end AS `until`, COUNT(*) AS bids
FROM TABLE(TUMBLE(TABLE timed, DESCRIPTOR(at_ms), INTERVAL '${window_s}' SECOND))
GROUP BY bidder, window_start, window_end
