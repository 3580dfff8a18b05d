package io.despina.link;

import io.despina.packet.Packet;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** Which channel of a link a packet takes. From one task to one task every partition comes to {@link Forward}. */
public sealed interface Partition {

    /** Instance i to instance i. */
    record Forward() implements Partition {
    }

    /** One segment after the other to the next receiver. */
    record RoundRobin() implements Partition {
    }

    /** Every packet to every receiver. */
    record Broadcast() implements Partition {
    }

    /** Each segment to the receiver with the least queued. */
    record LeastLoaded() implements Partition {
    }

    /**
     * By key: bucket = {@code floorMod(hash, buckets)}, as Spark's pmod; bucket b goes to receiver
     * {@code b * receivers / buckets}.
     *
     * @param hash    makes one hash function per sending task
     * @param buckets fixed for the graph's life
     */
    record Hash(Supplier<ToIntFunction<Packet>> hash, int buckets) implements Partition {
    }

    /** @param receiver makes one function per sending task: the receiver's index, taken modulo their number */
    record Custom(Supplier<ToIntFunction<Packet>> receiver) implements Partition {
    }
}
