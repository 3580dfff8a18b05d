package io.despina.spec;

/** The packets over which an {@code aggregate} aggregates. */
public sealed interface Window permits Windows, Window.Fired, Window.FiredSession, Window.Trailing,
        Window.TrailingCount, Window.Session, Window.Count, Window.Progress, Window.Control, Window.Final, Window.Each {

    /**
     * Windows that fire more than once; times in microseconds.
     *
     * @param every      when the watermark reaches a multiple of this, groups that have changed give a row; {@code NEVER}
     * @param onChange   whether each packet gives a row of its group
     * @param lateWithin how long after a window's end packets are still added to it, each of them for a row
     */
    record Fired(Windows windows, long every, boolean onChange, long lateWithin) implements Window {
    }

    /** Sessions that fire more than once; the fields as of {@link Session} and {@link Fired}. */
    record FiredSession(long gap, long every, boolean onChange, long lateWithin) implements Window {
    }

    /** One row per packet, over those of its group in [t - size, t], peers included; microseconds. */
    record Trailing(long size) implements Window {
    }

    /** One row per packet, over the last {@code size} of its group. */
    record TrailingCount(long size) implements Window {
    }

    /** Packets of a group that follow each other by less than {@code gap} microseconds: [first, last + gap). */
    record Session(long gap) implements Window {
    }

    /** {@code size} packets of a group; a new window begins with every {@code slide}, at most the size. */
    record Count(long size, long slide) implements Window {
    }

    /** Windows over the whole numbers of a value that grows, aligned to 0; the numbers of {@code values} are no times. */
    record Progress(Windows values) implements Window {
    }

    /** From a packet of a group that opens it to one that closes it, for {@code most} microseconds or {@link Never#NEVER}. */
    record Control(long most) implements Window {
    }

    /** No window: a row per group at the end of the stream. */
    record Final() implements Window {
    }

    /** No window: a row per packet, in event order, over all up to it (in arrival order if the stream has no event time). */
    record Each() implements Window {
    }
}
