package io.despina.operator.sink;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.spec.FileFormat;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * What a {@link FileSink} writes.
 *
 * @param formatters gives Spark's formatter, for what is not written byte by byte here; asked when first needed
 */
public record FileSinkOptions(Place place, Roll roll, Records records, Function<TextOptions, RecordFormatter> formatters) {

    /**
     * How packets become lines.
     *
     * @param options  Spark's writer options
     * @param timeZone where the options name none
     * @param ansi     as the graph's settings have it
     */
    public record Records(FileFormat format, Map<String, String> options, String timeZone, boolean ansi) {
        public Records {
            options = Map.copyOf(options);
        }
    }

    /**
     * Where to write.
     *
     * @param path       a folder of part files, or with {@code singleFile} one file
     * @param replace    the first commit takes the place of an earlier run's output; else such output is an error
     * @param graph      its name: with the operator's id it names hidden files, also for a job that goes on with them
     */
    public record Place(Path path, boolean singleFile, boolean replace, String graph) {
    }

    /**
     * When to show what there is, before the job ends.
     *
     * @param everyNanos after its first row; 0 for never
     * @param bytes      0 for any size
     * @param disk       waits for the disk in place of the sink's thread
     */
    public record Roll(long everyNanos, long bytes, Executor disk) {
        public static final Roll NEVER = new Roll(0, 0, Runnable::run);
    }
}
