SELECT ts, auction, bidder, 0.908 * price AS price FROM bids
