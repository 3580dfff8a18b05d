package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.spec.Partition;
import java.util.function.ToIntFunction;

/** Routes each packet to one channel of a link, or to all. One per sending task and link. */
interface Router {

    /** @param packets in {@code bytes[0, to)} */
    void route(byte[] bytes, int to, int packets);

    /** @param large one packet, which may be sent without a copy */
    void route(SegmentPool.Shared large);

    static Router of(PacketLayout layout, Partition partition, Outlet[] outlets) {
        if (outlets.length == 1) {
            return new All(outlets);
        }
        if (partition instanceof Partition.RoundRobin) {
            return new Turns(outlets, Router::next);
        } else if (partition instanceof Partition.LeastLoaded) {
            return new Turns(outlets, Router::leastLoaded);
        } else if (partition instanceof Partition.Hash hash) {
            ToIntFunction<Packet> function = hash.key().function();
            int buckets = hash.buckets();
            int n = outlets.length;
            return new Chosen(layout, outlets, p -> Partition.Hash.owner(Math.floorMod(function.applyAsInt(p), buckets),
                    buckets, n));
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

        private final Outlet[] outlets;
        private final Turn turn;
        private int current;
        private long sent;

        Turns(Outlet[] outlets, Turn turn) {
            this.outlets = outlets;
            this.turn = turn;
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

    /** Chooses the channel by a function of the packet. */
    final class Chosen implements Router {
        private final Packet packet;
        private final Outlet[] outlets;
        private final ToIntFunction<Packet> function;

        Chosen(PacketLayout layout, Outlet[] outlets, ToIntFunction<Packet> function) {
            packet = new Packet(layout);
            this.outlets = outlets;
            this.function = function;
        }

        @Override
        public void route(byte[] bytes, int to, int packets) {
            for (int at = 0; at < to;) {
                int end = packet.wrap(bytes, at, to);
                outlets[function.applyAsInt(packet)].append(bytes, at, end, 1);
                at = end;
            }
        }

        @Override
        public void route(SegmentPool.Shared large) {
            Segment original = large.original();
            packet.wrap(original.bytes(), original.start, original.end);
            Outlet outlet = outlets[function.applyAsInt(packet)];
            packet.letGo();
            outlet.share(large);
        }
    }
}
