package io.despina.operator.record;

import io.despina.packet.Schema;
import io.despina.spec.FileFormat;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How records are written: in files, on sockets, in pipes. */
public sealed interface RecordFormat {
    FileFormat format();

    /** Spark's options for the format. */
    Map<String, String> options();

    /** Of time stamps without a zone, if the options name none. */
    String timeZone();

    /** As in the graph's settings. */
    boolean ansi();

    /**
     * How records become packets.
     *
     * @param schema      of the packets; columns that a file has from the names of its folders are not in its records
     * @param columns     CSV: the number of columns in every line; the schema's size for as many as the records have of it; 0 for
     *                    the same, or at least as many; {@link #BY_NAME} for as many as the header, whose names give the places
     *                    of the columns
     * @param ignoreExtra CSV: columns beyond the schema are ignored; with {@code columns} 0 or {@link #BY_NAME} there may be any
     *                    number of them
     * @param unread      CSV: ordinals of columns that need not be read; they may be NULL
     */
    record Read(FileFormat format, Map<String, String> options, Schema schema, int columns, boolean ignoreExtra,
            Set<Integer> unread, String timeZone, boolean ansi) implements RecordFormat {
        public static final int BY_NAME = -1;

        public Read {
            options = Map.copyOf(options);
            unread = Set.copyOf(unread);
        }

        /** The same with other options. */
        public Read with(Map<String, String> others) {
            return new Read(format, others, schema, columns, ignoreExtra, unread, timeZone, ansi);
        }

        /** The same for records without the columns of these ordinals. */
        public Read without(Set<Integer> ordinals) {
            int[] kept = IntStream.range(0, schema.size()).filter(k -> !ordinals.contains(k)).toArray();
            Set<Integer> unreadThere = IntStream.range(0, kept.length).filter(k -> unread.contains(kept[k])).boxed()
                    .collect(Collectors.toSet());
            Schema there = new Schema(IntStream.of(kept).mapToObj(schema::column).toList());
            return new Read(format, options, there, columns == schema.size() ? kept.length : columns, ignoreExtra, unreadThere,
                    timeZone, ansi);
        }
    }

    /** How packets become records. */
    record Write(FileFormat format, Map<String, String> options, String timeZone, boolean ansi) implements RecordFormat {
        public Write {
            options = Map.copyOf(options);
        }

        /** The same with other options. */
        public Write with(Map<String, String> others) {
            return new Write(format, others, timeZone, ansi);
        }
    }
}
