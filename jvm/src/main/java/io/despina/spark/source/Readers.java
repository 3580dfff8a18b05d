package io.despina.spark.source;

import io.despina.control.visit.JobAddress;
import io.despina.spool.SpoolState;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The streams of a driver that read outputs of running jobs. Several may read one output: two queries, or both sides of a join of
 * it with itself. Rows are kept until all of them have had them. Any thread may call it.
 */
final class Readers {
    static final Readers OF_DRIVER = new Readers();
    private static final String SOURCES = "/sources/";

    /** An output, as all that read it name it. */
    record Output(String host, int port, String job, String sink) {

        static Output of(JobAddress address, String sink) {
            return new Output(address.host(), address.port(), address.job(), sink);
        }
    }

    /** What is known of an output. Guarded by the readers of the driver, as all below. */
    private static final class Shared {
        /** By the stream's own folder in the checkpoint of its query. */
        final Map<String, OutputReader> readers = new HashMap<>();
        /** Up to where rows were given up; null for none. */
        RowOffset given;
        /** How its rows stood when they had ended; null before. */
        List<SpoolState> last;
        String generation;

        /** What all have had of the rows, if these have ended and somebody has given the last of them up; else null. */
        List<SpoolState> taken(String of) {
            if (last == null || given == null || !generation.equals(of) || !given.generation().equals(of)) {
                return null;
            }
            for (int k = 0; k < last.size(); k++) {
                if (given.rows()[k] < last.get(k).rows()) {
                    return null;
                }
            }
            return last;
        }

        /** Queries that have begun; those that run, or all. */
        long queries(boolean running) {
            return readers.values().stream().filter(each -> !running || each.runs()).map(OutputReader::query).distinct().count();
        }
    }

    /** Guarded by this. */
    private final Map<Output, Shared> all = new HashMap<>();

    /**
     * A stream begins, before any of its query reads.
     *
     * @param place   its folder in the query's checkpoint
     * @param queries that read the output in all; nothing is given up before the first stream of each has begun
     */
    synchronized OutputReader join(Output output, String place, int queries, Object stream) {
        OutputReader reader = new OutputReader(output, place, queries, stream);
        all.computeIfAbsent(output, any -> new Shared()).readers.put(place, reader);
        return reader;
    }

    /** One of them. */
    final class OutputReader {
        private final Output output;
        private final String place;
        private final int queries;
        /** Who it is: a query that could not be planned never stops its streams. */
        private final WeakReference<Object> stream;
        /** Up to where Spark has committed; null before that is known. */
        private RowOffset done;
        private boolean stopped;

        private OutputReader(Output output, String place, int queries, Object stream) {
            this.output = output;
            this.place = place;
            this.queries = queries;
            this.stream = new WeakReference<>(stream);
        }

        private boolean runs() {
            return !stopped && stream.get() != null;
        }

        /** The query of the stream, by its checkpoint. */
        private String query() {
            int sources = place.lastIndexOf(SOURCES);
            return sources < 0 ? place : place.substring(0, sources);
        }

        /** Null once another stream has its place, or it has left. */
        private Shared shared() {
            Shared shared = all.get(output);
            return shared != null && shared.readers.get(place) == this ? shared : null;
        }

        /**
         * Spark has committed all before an offset.
         *
         * @return up to which row of each instance all have committed: these rows are to be cut now. Null where that is not
         *         known, and where nothing is left
         */
        long[] done(RowOffset offset) {
            synchronized (Readers.this) {
                Shared shared = shared();
                if (shared == null) {
                    return null;
                }
                done = offset;
                if (stopped || shared.taken(offset.generation()) != null) {
                    return null;
                }
                if (shared.queries(true) >= queries) {
                    shared.readers.values().removeIf(each -> !each.runs());     // others have come in their place
                }
                return shared.queries(false) < queries ? null : least(shared, offset);
            }
        }

        private long[] least(Shared shared, RowOffset offset) {
            long[] least = offset.rows().clone();
            for (OutputReader each : shared.readers.values()) {
                if (each.done == null || !each.done.generation().equals(offset.generation())) {
                    return null;
                }
                Arrays.setAll(least, k -> Math.min(least[k], each.done.rows()[k]));
            }
            shared.given = new RowOffset(offset.generation(), behind(shared, offset.generation(), least));
            return least;
        }

        /** Rows that were given up are there still: they could not be cut. */
        void failed() {
            synchronized (Readers.this) {
                if (all.get(output) != null) {
                    all.get(output).given = null;
                }
            }
        }

        /** Where it may begin. @param kept the first row of each instance that there is; another reader may be about to cut it */
        long[] first(String generation, long[] kept) {
            synchronized (Readers.this) {
                return all.get(output) == null ? kept : behind(all.get(output), generation, kept);
            }
        }

        private long[] behind(Shared shared, String generation, long[] rows) {
            long[] behind = rows.clone();
            if (shared.given != null && shared.given.generation().equals(generation)) {
                Arrays.setAll(behind, k -> Math.max(behind[k], shared.given.rows()[k]));
            }
            return behind;
        }

        /** How the rows stand that have ended, once all are cut: their job may have ended too, and answers no more. Else null. */
        List<SpoolState> taken(String generation) {
            synchronized (Readers.this) {
                return all.get(output) == null ? null : all.get(output).taken(generation);
            }
        }

        /** The rows have ended. */
        void ended(String generation, List<SpoolState> states) {
            synchronized (Readers.this) {
                Shared shared = shared();
                if (shared != null) {
                    shared.generation = generation;
                    shared.last = states.stream()
                            .map(each -> new SpoolState(each.rows(), each.rows(), each.bytes(), true)).toList();
                }
            }
        }

        /** It has stopped. Of several queries that are to read the output, one that stops may come back for its rows. */
        void leave() {
            synchronized (Readers.this) {
                Shared shared = shared();
                stopped = true;
                if (shared == null) {
                    return;
                }
                if (queries == 1) {
                    shared.readers.remove(place);
                }
                boolean isOver = shared.generation != null && shared.taken(shared.generation) != null;
                if (shared.readers.isEmpty() || isOver && shared.queries(true) == 0) {
                    all.remove(output);
                }
            }
        }
    }
}
