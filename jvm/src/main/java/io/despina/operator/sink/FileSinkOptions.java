package io.despina.operator.sink;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.FileAddress;
import io.despina.operator.FileCodec;
import io.despina.spec.FileFormat;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * What a {@link FileSink} writes.
 *
 * @param formatters gives Spark's formatter for what the byte-level writer does not write; called when first needed
 */
public record FileSinkOptions(Place place, Roll roll, Records records, Function<TextOptions, RecordFormatter> formatters) {

    /** The same, without options that configure a file system. */
    FileSinkOptions withoutSettings() {
        Map<String, String> ofRecords = new HashMap<>(records.options);
        ofRecords.keySet().removeIf(FileAddress::isSetting);
        Records others = new Records(records.format, ofRecords, records.timeZone, records.ansi);
        return new FileSinkOptions(place, roll, others, formatters);
    }

    /**
     * How packets become lines.
     *
     * @param options  Spark's writer options
     * @param timeZone if the options name none
     * @param ansi     as in the graph's settings
     */
    public record Records(FileFormat format, Map<String, String> options, String timeZone, boolean ansi) {
        public Records {
            options = Map.copyOf(options);
        }

        /** What packs the files; null for nothing. */
        public FileCodec codec() {
            return !format.isText() ? null : options.entrySet().stream().filter(option -> isCompression(option.getKey()))
                    .map(option -> FileCodec.ofWord(option.getValue())).filter(Objects::nonNull).findFirst().orElse(null);
        }

        /** Whether an option of that name says how files are packed. */
        public static boolean isCompression(String name) {
            return name.equalsIgnoreCase("compression") || name.equalsIgnoreCase("codec");
        }
    }

    /**
     * Where to write.
     *
     * @param path       a folder of part files, or with {@code singleFile} one file
     * @param replace    whether the first commit replaces an earlier run's output; else such output is an error
     * @param graph      the graph's name: with the operator's id it names hidden files, so that a resumed job finds them
     */
    public record Place(Path path, boolean singleFile, boolean replace, String graph) {
    }

    /**
     * When to make rows visible before the job ends.
     *
     * @param everyNanos after its first row; 0 for never
     * @param bytes      0 for any size
     * @param disk       waits for the disk instead of the sink's thread
     */
    public record Roll(long everyNanos, long bytes, Executor disk) {
        public static final Roll NEVER = new Roll(0, 0, Runnable::run);
    }
}
