package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.spec.BucketMap;
import io.despina.spec.BucketMaps;
import io.despina.spec.Partition;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** Routes each packet to one channel of a link, or to all. One per sending task and link. */
interface Router {

    /** @param packets in {@code bytes[0, to)} */
    void route(byte[] bytes, int to, int packets);

    /** @param large one packet, which may be sent without a copy */
    void route(SegmentPool.Shared large);

    /** A barrier has been sent behind what was routed. @param value what it says */
    default void barrier(long value) {
        // only buckets of keys move
    }

    static Router of(PacketLayout layout, Partition partition, Outlet[] outlets) {
        if (outlets.length == 1) {
            return new All(outlets);
        }
        if (partition instanceof Partition.RoundRobin turns) {
            return new Turns(outlets, Router::next, turns.maps());
        } else if (partition instanceof Partition.LeastLoaded least) {
            return new Turns(outlets, Router::leastLoaded, least.maps());
        } else if (partition instanceof Partition.Hash hash) {
            return new Chosen(layout, outlets, new OwnerOfBucket(hash, outlets.length));
        } else if (partition instanceof Partition.Custom custom) {
            ToIntFunction<Packet> function = custom.function().get();
            return new Chosen(layout, outlets, p -> Math.floorMod(function.applyAsInt(p), outlets.length));
        } else if (partition instanceof Partition.Broadcast) {
            return new All(outlets);
        }
        throw new IllegalArgumentException("a forward link has one channel per task, not " + outlets.length);
    }

    private static int next(Outlet[] outlets, int last) {
        return (last + 1) % outlets.length;
    }

    private static int leastLoaded(Outlet[] outlets, int last) {
        int best = next(outlets, last);
        for (int k = 0; k < outlets.length; k++) {
            int candidate = (last + 1 + k) % outlets.length;
            best = outlets[candidate].queuedBytes() < outlets[best].queuedBytes() ? candidate : best;
        }
        return best;
    }

    /** Every packet to every channel. */
    record All(Outlet[] outlets) implements Router {
        @Override
        public void route(byte[] bytes, int to, int packets) {
            for (Outlet outlet : outlets) {
                outlet.append(bytes, 0, to, packets);
            }
        }

        @Override
        public void route(SegmentPool.Shared large) {
            for (Outlet outlet : outlets) {
                outlet.share(large);
            }
        }
    }

    /** Fills one channel's segment, then another's. */
    final class Turns implements Router {
        /** Which outlet comes after {@code last}. */
        interface Turn {
            int after(Outlet[] outlets, int last);
        }

        private final Outlet[] all;
        private final Turn turn;
        /** Null if all take part. */
        private final BucketMaps maps;
        private BucketMap map;
        /** Those that take part. */
        private Outlet[] outlets;
        private int current;
        private long sent;

        Turns(Outlet[] all, Turn turn, BucketMaps maps) {
            this.all = all;
            this.turn = turn;
            this.maps = maps;
            outlets = all;
            if (maps != null) {
                deal(maps.first());
            }
        }

        private void deal(BucketMap next) {
            map = next;
            outlets = IntStream.range(0, all.length).filter(next::takesPart).mapToObj(k -> all[k]).toArray(Outlet[]::new);
            current = 0;
            sent = outlets[0].sent();
        }

        @Override
        public void barrier(long value) {
            BucketMap next = maps == null ? null : maps.behind(value, map);
            if (next != map) {
                deal(next);
            }
        }

        @Override
        public void route(byte[] bytes, int to, int packets) {
            for (int at = 0; at < to;) {
                int end = Bytes.packetEnd(bytes, at, to);
                next(end - at).append(bytes, at, end, 1);
                at = end;
            }
        }

        @Override
        public void route(SegmentPool.Shared large) {
            next(large.original().size()).share(large);
        }

        private Outlet next(int size) {
            Outlet outlet = outlets[current];
            if (outlet.sent() != sent || outlet.cutBefore(size)) {
                current = turn.after(outlets, current);
                outlet = outlets[current];
                sent = outlet.sent();
            }
            return outlet;
        }
    }

    /** Which channel a packet goes to. */
    interface Chooser {
        int of(Packet packet);

        /** Packets of a batch follow. */
        default void batch() {
            // most choices have nothing to count
        }

        /** As {@link Router#barrier}. */
        default void barrier(long value) {
            // most choices are for good
        }
    }

    /** To who has the bucket of the packet's key. */
    final class OwnerOfBucket implements Chooser {
        private static final int SAMPLE = 16;

        private final ToIntFunction<Packet> key;
        private final BucketMaps maps;
        private final int buckets;
        /** By bucket, packets of each {@link #SAMPLE}th batch; null if nobody wants to know. */
        private final long[] counter;
        private int batches;
        private boolean counts;
        private BucketMap map;

        OwnerOfBucket(Partition.Hash hash, int receivers) {
            key = hash.key().function();
            maps = hash.maps();
            buckets = hash.buckets();
            map = maps == null ? BucketMap.even(buckets, receivers) : maps.first();
            counter = maps == null ? null : maps.counter();
        }

        @Override
        public int of(Packet packet) {
            int bucket = Math.floorMod(key.applyAsInt(packet), buckets);
            if (counts) {
                counter[bucket]++;
            }
            return map.owner(bucket);
        }

        @Override
        public void batch() {
            counts = counter != null && ++batches % SAMPLE == 0;
        }

        @Override
        public void barrier(long value) {
            map = maps == null ? map : maps.behind(value, map);
        }
    }

    /** Chooses the channel packet by packet. */
    final class Chosen implements Router {
        private final Packet packet;
        private final Outlet[] outlets;
        private final Chooser chooser;

        Chosen(PacketLayout layout, Outlet[] outlets, Chooser chooser) {
            packet = new Packet(layout);
            this.outlets = outlets;
            this.chooser = chooser;
        }

        @Override
        public void barrier(long value) {
            chooser.barrier(value);
        }

        @Override
        public void route(byte[] bytes, int to, int packets) {
            chooser.batch();
            for (int at = 0; at < to;) {
                int end = packet.wrap(bytes, at, to);
                outlets[chooser.of(packet)].append(bytes, at, end, 1);
                at = end;
            }
        }

        @Override
        public void route(SegmentPool.Shared large) {
            chooser.batch();
            Segment original = large.original();
            packet.wrap(original.bytes(), original.start, original.end);
            Outlet outlet = outlets[chooser.of(packet)];
            packet.letGo();
            outlet.share(large);
        }
    }
}
