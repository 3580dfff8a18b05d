SELECT until, most.auction, most.bids
FROM (
  SELECT w.end AS until, explode(filter(counts, c -> c.bids = array_max(counts).bids)) AS most
  FROM (
    SELECT window(window_time(w), '2 seconds') AS w, collect_list(struct(bids, auction)) AS counts
    FROM (
      SELECT window(ts, '10 seconds', '2 seconds') AS w, auction, count(*) AS bids
      FROM bids GROUP BY window(ts, '10 seconds', '2 seconds'), auction
    )
    GROUP BY window(window_time(w), '2 seconds')
  )
)
