WITH counts AS (
  SELECT window(ts, '10 seconds', '2 seconds').end AS until, auction, count(*) AS bids
  FROM bids GROUP BY window(ts, '10 seconds', '2 seconds'), auction
)
SELECT c.until, c.auction, c.bids
FROM counts c JOIN (SELECT until, max(bids) AS most FROM counts GROUP BY until) m ON c.until = m.until AND c.bids = m.most
