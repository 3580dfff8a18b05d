SELECT hash(*) AS made FROM persons UNION ALL SELECT hash(*) FROM auctions UNION ALL SELECT hash(*) FROM bids
