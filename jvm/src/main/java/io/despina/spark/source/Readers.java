package io.despina.spark.source;

import io.despina.control.coordinator.JobAddress;
import java.lang.ref.WeakReference;
import java.util.HashMap;
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

    private static final class Reader {
        /** Who it is: a query that could not be planned never stops its streams. */
        WeakReference<Object> stream;
        /** Up to where Spark has committed; null before that is known. */
        RowOffset done;
    }

    /** Guarded by this: by output and by the stream's own folder in the checkpoint of its query. */
    private final Map<Output, Map<String, Reader>> all = new HashMap<>();

    /** A stream begins, before any of its query reads. @param place its folder in the query's checkpoint */
    synchronized void join(Output output, String place, Object stream) {
        all.computeIfAbsent(output, any -> new HashMap<>()).computeIfAbsent(place, any -> new Reader()).stream =
                new WeakReference<>(stream);
    }

    /**
     * Spark has committed all before an offset.
     *
     * @param queries that read the output in all; nothing is given up before the first stream of each has begun
     * @return up to which row of each instance all have committed; null where that is not known
     */
    synchronized long[] done(Output output, String place, RowOffset offset, int queries) {
        Map<String, Reader> readers = all.getOrDefault(output, Map.of());
        Reader by = readers.get(place);
        if (by == null) {
            return null;
        }
        by.done = offset;
        if (queries == 1) {
            readers.values().removeIf(each -> each.stream.get() == null);
        }
        if (readers.keySet().stream().map(Readers::query).distinct().count() < queries) {
            return null;
        }
        long[] least = offset.rows().clone();
        for (Reader each : readers.values()) {
            if (each.done == null || !each.done.generation().equals(offset.generation())) {
                return null;
            }
            for (int k = 0; k < least.length; k++) {
                least[k] = Math.min(least[k], each.done.rows()[k]);
            }
        }
        return least;
    }

    /** The query of a stream, by its checkpoint. */
    private static String query(String place) {
        int sources = place.lastIndexOf(SOURCES);
        return sources < 0 ? place : place.substring(0, sources);
    }

    /** A stream has stopped. Of several queries that are to read the output, one that stops may come back for its rows. */
    synchronized void leave(Output output, String place, int queries) {
        Map<String, Reader> readers = all.get(output);
        if (queries == 1 && readers != null) {
            readers.remove(place);
            if (readers.isEmpty()) {
                all.remove(output);
            }
        }
    }
}
