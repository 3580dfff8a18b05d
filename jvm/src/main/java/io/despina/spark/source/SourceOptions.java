package io.despina.spark.source;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Json;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Nearest;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Schema;
import io.despina.spark.job.JobRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What {@code option(…)} says:
 * <pre>
 * graph                path of the graph file
 * output               id of the sink whose rows are read; other sinks drop what they get
 * parameter.NAME       value of a parameter of the graph
 * deployment           path of a deployment file; without one the driver's JVM is the resource
 * secretFile, tls,
 * listen               as {@code despina run} has them, for a deployment
 * on                   {@code driver} (default) or {@code executors}: whose JVMs are the resources without a deployment
 * slotsLeft            how many task slots resources in executors leave to Spark's own tasks (1)
 * spoolDirectory       where resources keep rows that Spark has not taken (their folder of temporary files)
 * spoolBytes           how many of them, per instance of the output, before the job waits for Spark (1 GiB); of a batch read,
 *                      which keeps all rows, there is no limit
 * maxRowsPerTrigger    of a stream, in one micro-batch
 * maxBytesPerTrigger   of a stream, in one micro-batch, to within 64 KB for each instance (a quarter of spoolBytes, so that
 *                      the job goes on while Spark works)
 * onRestart            of a stream that goes on from a checkpoint: {@code refuse} (default), or {@code begin}: the graph starts
 *                      again from its beginning, and rows that Spark has had before may come again
 * </pre>
 *
 * @param output id of the sink
 */
record SourceOptions(JobRequest job, String output, Limits limits, boolean beginsAgain) {
    private static final long SPOOL_BYTES = 1L << 30;
    /** Of a full spool, that a micro-batch takes one of. */
    private static final int PARTS = 4;
    private static final List<String> NAMES = List.of("graph", "output", "deployment", "secretFile", "tls", "listen",
            "on", "slotsLeft", "spoolDirectory", "spoolBytes", "maxRowsPerTrigger", "maxBytesPerTrigger", "onRestart");

    /**
     * How rows are kept and read.
     *
     * @param folder null for the resource's own
     * @param kept   bytes on disk of an instance
     * @param rows   of a micro-batch; 0 for any number
     * @param bytes  of a micro-batch
     */
    record Limits(String folder, long kept, long rows, long bytes) {
    }

    /** @throws IllegalArgumentException in words for the user */
    static SourceOptions of(CaseInsensitiveStringMap options) {
        refuseUnknown(options);
        try {
            long kept = number(options, "spoolBytes", SPOOL_BYTES);
            Limits limits = new Limits(options.get("spoolDirectory"), kept, number(options, "maxRowsPerTrigger", 0),
                    number(options, "maxBytesPerTrigger", Math.max(1, kept / PARTS)));
            JobRequest job = JobRequest.of(options, Math.toIntExact(Math.min(number(options, "slotsLeft", 1), Integer.MAX_VALUE)));
            return new SourceOptions(job, output(options), limits, beginsAgain(options));
        } catch (Refusal e) {
            throw refused(e);
        }
    }

    private static void refuseUnknown(CaseInsensitiveStringMap options) {
        List<String> known = NAMES.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
        for (String name : options.asCaseSensitiveMap().keySet()) {
            if (!known.contains(name.toLowerCase(Locale.ROOT)) && !JobRequest.isParameter(name)) {
                throw refused(new Refusal("option", "format(\"despina\") has no option `" + name + "`",
                        name.equals("path") ? "give the graph by option(\"graph\", path)" : Nearest.hint(name, NAMES)));
            }
        }
    }

    private static String output(CaseInsensitiveStringMap options) throws Refusal {
        String output = options.get("output");
        if (output == null || output.isBlank()) {
            throw new Refusal("option", "format(\"despina\") needs option(\"output\", …): the id of a sink of the graph", null);
        }
        return output;
    }

    private static long number(CaseInsensitiveStringMap options, String name, long otherwise) throws Refusal {
        String value = options.get(name);
        try {
            long number = value == null ? otherwise : Long.parseLong(value.strip());
            if (number > 0 || value == null) {
                return number;
            }
        } catch (NumberFormatException none) {
            // told below
        }
        throw new Refusal("option", name + "=" + value + " is no number from 1 on", null);
    }

    private static boolean beginsAgain(CaseInsensitiveStringMap options) throws Refusal {
        String word = options.getOrDefault("onRestart", "refuse");
        if (!word.equals("refuse") && !word.equals("begin")) {
            throw new Refusal("option", "onRestart=" + word + " is not known", "refuse or begin");
        }
        return word.equals("begin");
    }

    /** In Spark's plans and reports. */
    @Override
    public String toString() {
        return "despina " + job.graph() + " " + output;
    }

    static IllegalArgumentException refused(Refusal why) {
        return new IllegalArgumentException(why.render(), why);
    }

    Spooling spooling(String generation, boolean toItsEnd, boolean keepsAll) {
        return new Spooling(output, generation, toItsEnd, limits.folder(), keepsAll ? Long.MAX_VALUE : limits.kept(), false);
    }

    /** The rows' schema, from planning the graph. */
    StructType schema() {
        return SparkTypes.struct(packets());
    }

    Schema packets() {
        try {
            return JobRequest.planned(job.submission(null, spooling("", false, false))).plan().operator(output).inputs().get(0)
                    .schema();
        } catch (Refusal e) {
            throw refused(e);
        }
    }
}
