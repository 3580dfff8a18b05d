package io.despina.spec;

/** The packets over which an {@code aggregate} aggregates. */
public sealed interface Window permits Windows, Window.Trailing, Window.Final, Window.Each {

    /** One row per packet, over those of its group in [t - size, t], peers included; microseconds. */
    record Trailing(long size) implements Window {
    }

    /** No window: a row per group at the end of the stream. */
    record Final() implements Window {
    }

    /** No window: a row per packet, in event order, over all up to it (in arrival order if the stream has no event time). */
    record Each() implements Window {
    }
}
