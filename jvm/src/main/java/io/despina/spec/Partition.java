package io.despina.spec;

import io.despina.packet.Packet;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** Which receiving instance a packet of a link goes to. From one task to one task every partition comes to {@link Forward}. */
public sealed interface Partition {

    /** Instance i to instance i; parallelism is equal. */
    record Forward() implements Partition {
    }

    /** One segment after the other to the next receiver. */
    record RoundRobin() implements Partition {
    }

    /** Each segment to the receiver with the least queued. */
    record LeastLoaded() implements Partition {
    }

    /** Every packet to every receiver. */
    record Broadcast() implements Partition {
    }

    /**
     * By key: bucket = {@code floorMod(hash, buckets)}, as Spark's pmod; bucket b goes to receiver
     * {@code b * receivers / buckets}.
     *
     * @param by      expression texts over the sending port (join keys may name it {@code left.x} or {@code right.x})
     * @param buckets fixed for the graph's life
     */
    record Hash(List<String> by, KeyHash key, int buckets) implements Partition {
        public Hash {
            by = List.copyOf(by);
        }

        /** The receiver that owns a bucket: contiguous ranges, so that another number of receivers moves few. */
        public static int owner(int bucket, int buckets, int receivers) {
            return (int) ((long) bucket * receivers / buckets);
        }
    }

    /** The hash of a packet's key. */
    @FunctionalInterface
    interface KeyHash {
        /** One for each sending task. */
        ToIntFunction<Packet> function();

        /** Compiles it, so that {@link #function} is soon there. */
        default void prepare() {
        }
    }

    /**
     * By the user's class, which the deployment must allow.
     *
     * @param className as the graph names it
     * @param function  the receiver's index, taken modulo their number: one for each sending task; null in a plan, for which no
     *                  class is loaded
     */
    record Custom(String className, Supplier<ToIntFunction<Packet>> function) implements Partition {
        public Custom(String className) {
            this(className, null);
        }
    }
}
