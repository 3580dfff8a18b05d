package io.despina.plan;

/** Over which packets an {@code aggregate} aggregates. */
public sealed interface WindowSpec {

    /** [k·size + offset, (k+1)·size + offset) of event time, from 1970-01-01T00:00Z. */
    record Tumbling(long sizeMs, long offsetMs) implements WindowSpec {
    }

    /** Of length size, a new one each slide. */
    record Sliding(long sizeMs, long slideMs, long offsetMs) implements WindowSpec {
    }

    /** One row per packet, over those of its group in [t - size, t], peers included. */
    record Trailing(long sizeMs) implements WindowSpec {
    }

    /** No window: a row per group at the end of the stream. */
    record Final() implements WindowSpec {
    }

    /** No window: a row per packet, in event order, over all up to it (in arrival order if the stream has no event time). */
    record Each() implements WindowSpec {
    }
}
