SELECT P.id AS id, P.name AS name, P.window_start AS since
FROM (
  SELECT id, name, window_start, window_end
  FROM TABLE(TUMBLE(TABLE persons, DESCRIPTOR(ts), INTERVAL '10' SECOND))
  GROUP BY id, name, window_start, window_end
) P JOIN (
  SELECT seller, window_start, window_end
  FROM TABLE(TUMBLE(TABLE auctions, DESCRIPTOR(ts), INTERVAL '10' SECOND))
  GROUP BY seller, window_start, window_end
) A ON P.id = A.seller AND P.window_start = A.window_start AND P.window_end = A.window_end
