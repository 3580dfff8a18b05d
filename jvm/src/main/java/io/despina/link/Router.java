package io.despina.link;

import io.despina.packet.Packet;
import java.util.function.ToIntFunction;

/** Takes each packet to one channel of a link, or to all. One per sending task and link. */
interface Router {

    /** @param packet shows the packet if {@link #readsPacket} */
    void route(Packet packet, byte[] bytes, int from, int size);

    default boolean readsPacket() {
        return false;
    }

    static Router of(Partition partition, Outlet[] outlets) {
        if (outlets.length == 1) {
            return (packet, bytes, from, size) -> outlets[0].append(bytes, from, size);
        }
        if (partition instanceof Partition.RoundRobin) {
            return new Turns(outlets, Router::next);
        } else if (partition instanceof Partition.LeastLoaded) {
            return new Turns(outlets, Router::leastLoaded);
        } else if (partition instanceof Partition.Hash hash) {
            ToIntFunction<Packet> function = hash.hash().get();
            int buckets = hash.buckets();
            int n = outlets.length;
            return new Chosen(outlets, p -> bucketOwner(Math.floorMod(function.applyAsInt(p), buckets), buckets, n));
        } else if (partition instanceof Partition.Custom custom) {
            ToIntFunction<Packet> function = custom.receiver().get();
            return new Chosen(outlets, p -> Math.floorMod(function.applyAsInt(p), outlets.length));
        } else if (partition instanceof Partition.Broadcast) {
            return (packet, bytes, from, size) -> {
                for (Outlet outlet : outlets) {
                    outlet.append(bytes, from, size);
                }
            };
        }
        throw new IllegalArgumentException("a forward link has one channel per task, not " + outlets.length);
    }

    /** The receiver that owns a bucket: contiguous ranges, so that rescaling moves few. */
    static int bucketOwner(int bucket, int buckets, int receivers) {
        return (int) ((long) bucket * receivers / buckets);
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

    /** Fills one channel's segment, then goes on with another. */
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
        public void route(Packet packet, byte[] bytes, int from, int size) {
            Outlet outlet = outlets[current];
            if (outlet.sent() != sent || outlet.cutBefore(size)) {
                current = turn.after(outlets, current);
                outlet = outlets[current];
                sent = outlet.sent();
            }
            outlet.append(bytes, from, size);
        }
    }

    /** Asks a function of the packet. */
    record Chosen(Outlet[] outlets, ToIntFunction<Packet> function) implements Router {

        @Override
        public void route(Packet packet, byte[] bytes, int from, int size) {
            outlets[function.applyAsInt(packet)].append(bytes, from, size);
        }

        @Override
        public boolean readsPacket() {
            return true;
        }
    }
}
