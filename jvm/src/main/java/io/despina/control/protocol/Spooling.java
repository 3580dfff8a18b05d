package io.despina.control.protocol;

import io.despina.spool.SpoolId;
import java.util.List;

/**
 * The sinks whose rows programs read from the disks of the resources, and how they are kept there.
 *
 * @param sinks      none if the rest is said of rows for Python alone
 * @param run        part of the ids of their spools
 * @param toItsEnd   whether they are read to their end, so there must be one
 * @param alone      whether other sinks drop what they get; else they do what the graph says
 * @param folder     on the resource; null for its folder of temporary files
 * @param mostBytes  that an instance of a sink may have on disk
 * @param untilTaken whether the job may end once all rows have been taken; else its rows stay until they are let go
 * @param atOnce     whether readers of a job with state see rows before their epoch is complete, and perhaps again
 */
public record Spooling(List<String> sinks, String run, boolean toItsEnd, boolean alone, String folder, long mostBytes,
        boolean untilTaken, boolean atOnce) {
    private static final String AT_LEAST_ONCE = "at_least_once";
    /** As {@code format("despina")} of Spark's has it. */
    public static final long MOST_BYTES = 1L << 30;
    private static final List<String> DELIVERIES = List.of("by_epoch", AT_LEAST_ONCE);

    public Spooling {
        sinks = List.copyOf(sinks);
    }

    /** The same, with other ids. @param named of a job that keeps its state: the id of its folder, which no attempt changes */
    public Spooling named(String named) {
        return new Spooling(sinks, named, toItsEnd, alone, folder, mostBytes, untilTaken, atOnce);
    }

    /** Of rows that an instance keeps for Python. @param said null if nothing is said of it */
    public static long mostBytes(Spooling said) {
        return said == null ? MOST_BYTES : said.mostBytes;
    }

    /**
     * Whether readers see rows at once.
     *
     * @param delivery a word of the user's; null is {@code by_epoch}
     */
    public static boolean atOnce(String delivery, boolean keepsState) throws Refusal {
        if (delivery == null) {
            return false;
        }
        if (!DELIVERIES.contains(delivery)) {
            throw new Refusal("options", "delivery=" + delivery + " is not known", String.join(" or ", DELIVERIES));
        }
        if (!keepsState) {
            throw new Refusal("options", "delivery says when readers see the rows of a job that keeps its state, and this one "
                    + "keeps none", "add the option state, or leave delivery out: rows are seen at once, and once");
        }
        return delivery.equals(AT_LEAST_ONCE);
    }

    /** Of a sink's rows. */
    public String generation(String sink) {
        return run + "." + sink;
    }

    public SpoolId id(String sink, int instance) {
        return new SpoolId(generation(sink), instance);
    }
}
