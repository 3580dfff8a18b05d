SELECT (SELECT count(hash(*)) FROM persons), (SELECT count(hash(*)) FROM auctions), (SELECT count(hash(*)) FROM bids)
