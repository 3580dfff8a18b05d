package io.despina.spec;

import io.despina.packet.Packet;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** Which receiving instance a packet of a link goes to. From one task to one task every partition equals {@link Forward}. */
public sealed interface Partition {

    /** Instance i to instance i; parallelism is equal. */
    record Forward() implements Partition {
    }

    /** Each segment to the next receiver in turn. */
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

        /** The receiver that owns a bucket. Ranges are contiguous, so another number of receivers moves few buckets. */
        public static int owner(int bucket, int buckets, int receivers) {
            return (int) ((long) bucket * receivers / buckets);
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
