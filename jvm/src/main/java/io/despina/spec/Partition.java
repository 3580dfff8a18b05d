package io.despina.spec;

import io.despina.packet.Packet;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** Which receiving instance a packet of a link goes to. From one task to one task every partition equals {@link Forward}. */
public sealed interface Partition {

    /** Of the receiver, where packets go by them; else null. */
    default BucketMaps maps() {
        return null;
    }

    /** Instance i to instance i; parallelism is equal. */
    record Forward() implements Partition {
    }

    /**
     * Each segment to the next receiver in turn.
     *
     * @param maps of the receiver, of which instances take part that have a bucket; null in a plan, and where all do
     */
    record RoundRobin(BucketMaps maps) implements Partition {
        public RoundRobin() {
            this(null);
        }
    }

    /** Each segment to the receiver with the least queued. @param maps as in {@link RoundRobin} */
    record LeastLoaded(BucketMaps maps) implements Partition {
        public LeastLoaded() {
            this(null);
        }
    }

    /** Every packet to every receiver. */
    record Broadcast() implements Partition {
    }

    /**
     * By key: bucket = {@code floorMod(hash, buckets)}, as Spark's pmod; a {@link BucketMap} says which receiver has it.
     *
     * @param by      expression texts over the sending port (join keys may name it {@code left.x} or {@code right.x})
     * @param buckets fixed for the graph's life
     * @param maps    of the receiver; null in a plan, and where all receivers have buckets that never move
     */
    record Hash(List<String> by, KeyHash key, int buckets, BucketMaps maps) implements Partition {
        public Hash {
            by = List.copyOf(by);
        }

        public Hash(List<String> by, KeyHash key, int buckets) {
            this(by, key, buckets, null);
        }
    }

    /** The hash of a packet's key. */
    @FunctionalInterface
    interface KeyHash {
        /** One for each sending task. */
        ToIntFunction<Packet> function();

        /** Compiles it in advance, so that {@link #function} is fast. */
        default void prepare() {
        }
    }

    /**
     * By the user's class, which the deployment must allow.
     *
     * @param className as the graph names it
     * @param function  gives the receiver's index, modulo their number; one function for each sending task. Null in a plan, which
     *                  loads no class
     */
    record Custom(String className, Supplier<ToIntFunction<Packet>> function) implements Partition {
        public Custom(String className) {
            this(className, null);
        }
    }
}
