package io.despina.plan;

import io.despina.expr.Compiled;
import java.util.List;

/** Which receiving instance a packet goes to. */
public sealed interface PartitionSpec {

    /** Instance i to instance i; parallelism is equal. */
    record Forward() implements PartitionSpec {
    }

    record RoundRobin() implements PartitionSpec {
    }

    /** Each segment to the instance with the least queued. */
    record LeastLoaded() implements PartitionSpec {
    }

    /**
     * By key: bucket = pmod(hash, buckets), and each instance owns a range of buckets.
     *
     * @param by   expression texts over the sending port (join keys may name it {@code left.x} or {@code right.x})
     * @param hash takes the sender's packet as its one input
     */
    record Hash(List<String> by, Compiled<io.despina.expr.Hash> hash) implements PartitionSpec {
    }

    record Broadcast() implements PartitionSpec {
    }

    /** The user's class, which the deployment must allow. */
    record Custom(String className) implements PartitionSpec {
    }
}
