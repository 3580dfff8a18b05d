SELECT bidder, w.start AS since, w.end AS until, bids
FROM (SELECT bidder, session_window(ts, '1 second') AS w, count(*) AS bids FROM bids GROUP BY bidder, session_window(ts, '1 second'))
