SELECT number, ts, auction, bidder, price, channel FROM bids
