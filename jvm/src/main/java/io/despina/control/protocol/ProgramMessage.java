package io.despina.control.protocol;

import io.despina.link.Attempt;
import java.util.List;

/** The messages between a program of another process, or an operator of another job, and the coordinator of a job. */
public interface ProgramMessage extends Message {

    /**
     * From a program that reads a job's rows or gives it some, to the job's coordinator: where are they? It is answered when the
     * job runs, with {@link Located} or {@link Refused}.
     *
     * @param way      {@link Located#IN} or {@link Located#OUT}
     * @param operator empty for the only one of that way
     */
    record Locate(String job, String way, String operator) implements ProgramMessage {
    }

    /**
     * Where the rows of an operator's instances are.
     *
     * @param instances  {@code host:port} of the resource of each, which takes the coordinator's secret
     * @param generation of the spools whose rows are read; of rows that are given, the run under which they are staged, which
     *                   lasts as long as the connection
     * @param schema     as Spark DDL
     * @param order      the event-time column and those that break ties, by which each instance's rows should be ordered that are
     *                   given; empty for none
     */
    record Located(Attempt attempt, String way, String operator, List<String> instances, String generation, String schema,
            List<String> order) implements ProgramMessage {
        /** Rows are given to a source. */
        public static final String IN = "in";
        /** Rows of a sink are read. */
        public static final String OUT = "out";

        public String host(int instance) {
            String at = instances.get(instance);
            return at.substring(0, at.lastIndexOf(':'));
        }

        public int port(int instance) {
            String at = instances.get(instance);
            return Integer.parseInt(at.substring(at.lastIndexOf(':') + 1));
        }
    }

    /**
     * From a program, over the connection that has asked for {@link Located#IN}: all rows of an epoch are staged, and are to be
     * seen or thrown away. Answered with {@link Decided} or {@link Refused}.
     *
     * @param query the same for all runs that go on with its epochs; empty for one that never comes again
     * @param keeps whether the rows are to be seen
     * @param skips whether epochs of the query before this one may be missing in this job
     * @param parts in their order
     * @param ends  0, or that nothing follows: how many queries say so before the input ends; the epoch is {@link #AT_END}
     */
    record Decide(String query, long epoch, boolean keeps, boolean skips, List<StagedPart> parts, int ends)
            implements ProgramMessage {
        /** The epoch of a query that has ended, behind all others. */
        public static final long AT_END = Long.MAX_VALUE;

        public Decide(String query, long epoch, boolean keeps, boolean skips, List<StagedPart> parts) {
            this(query, epoch, keeps, skips, parts, 0);
        }

        /** Nothing follows from that query, one of so many. */
        public static Decide end(String query, int of) {
            return new Decide(query, AT_END, true, true, List.of(), of);
        }
    }

    /**
     * From a program: stop a job, by one of {@link Stop#MODES}, by "usual" as its options say, or by "" not at all; and write a
     * savepoint of it, unless its folder is "". Answered with {@link Directed} when that is written, or {@link Refused}.
     */
    record Direct(String job, String stop, String savepoint) implements ProgramMessage {
    }

    /** @param epoch of the savepoint, whose files have so many bytes; 0 for none */
    record Directed(long epoch, long bytes) implements ProgramMessage {
    }

    /**
     * @param repeated whether the epoch was committed before, so that these rows have been thrown away
     * @param last     the last epoch of the query that counts; -1 if none does
     */
    record Decided(boolean repeated, long last) implements ProgramMessage {
    }
}
