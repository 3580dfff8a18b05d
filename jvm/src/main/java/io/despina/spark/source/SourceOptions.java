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
 * @param mostRows 0 for any number
 */
record SourceOptions(String graph, String output, JobOptions job, String spoolFolder, long spoolBytes, long mostRows,
        long mostBytes, boolean beginsAgain) {
    private static final long SPOOL_BYTES = 1L << 30;
    /** Of a full spool, that a micro-batch takes one of. */
    private static final int PARTS = 4;
    private static final String PARAMETER = "parameter.";
    private static final List<String> NAMES = List.of("graph", "output", "deployment", "secretFile", "tls", "listen",
            "spoolDirectory", "spoolBytes", "maxRowsPerTrigger", "maxBytesPerTrigger", "onRestart");

    /** @throws IllegalArgumentException in words for the user */
    static SourceOptions of(CaseInsensitiveStringMap options) {
        refuseUnknown(options);
        ObjectNode job = Json.object();
        ObjectNode parameters = job.putObject("parameters");
        options.asCaseSensitiveMap().forEach((name, value) -> {
            if (name.regionMatches(true, 0, PARAMETER, 0, PARAMETER.length())) {
                parameters.put(name.substring(PARAMETER.length()), value);
            }
        });
        String deployment = options.get("deployment");
        if (deployment != null) {
            job.put("deployment_file", deployment).put("deployment_text", text(deployment, "deployment"));
        }
        Map.of("secretFile", "secret_file", "tls", "tls", "listen", "listen").forEach((option, name) -> {
            if (options.containsKey(option)) {
                job.put(name, options.get(option));
            }
        });
        try {
            long spoolBytes = number(options, "spoolBytes", SPOOL_BYTES);
            return new SourceOptions(needed(options, "graph", "the path of a graph file"),
                    needed(options, "output", "the id of a sink of the graph"), JobOptions.parse(Json.text(job)),
                    options.get("spoolDirectory"), spoolBytes, number(options, "maxRowsPerTrigger", 0),
                    number(options, "maxBytesPerTrigger", Math.max(1, spoolBytes / PARTS)), beginsAgain(options));
        } catch (Refusal e) {
            throw refused(e);
        }
    }

    private static void refuseUnknown(CaseInsensitiveStringMap options) {
        List<String> known = NAMES.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
        for (String name : options.asCaseSensitiveMap().keySet()) {
            if (!known.contains(name.toLowerCase(Locale.ROOT)) && !name.toLowerCase(Locale.ROOT).startsWith(PARAMETER)) {
                throw refused(new Refusal("option", "format(\"despina\") has no option `" + name + "`",
                        name.equals("path") ? "give the graph by option(\"graph\", path)" : Nearest.hint(name, NAMES)));
            }
        }
    }

    private static String needed(CaseInsensitiveStringMap options, String name, String what) throws Refusal {
        String value = options.get(name);
        if (value == null || value.isBlank()) {
            throw new Refusal("option", "format(\"despina\") needs option(\"" + name + "\", …): " + what, null);
        }
        return value;
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

    private static String text(String path, String what) {
        try {
            return Files.readString(Path.of(path), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw refused(new Refusal("file_missing", "no " + what + " file at " + path,
                    "relative paths are of the driver's folder, " + System.getProperty("user.dir")));
        } catch (IOException e) {
            throw refused(new Refusal("file_unreadable", "the " + what + " file " + path + " cannot be read: " + e.getMessage(),
                    null));
        }
    }

    /** In Spark's plans and reports. */
    @Override
    public String toString() {
        return "despina " + graph + " " + output;
    }

    static IllegalArgumentException refused(Refusal why) {
        return new IllegalArgumentException(why.render(), why);
    }

    /** A job that spools the output's rows. */
    Submission submission(String generation, boolean toItsEnd, boolean keepsAll) {
        return new Submission(text(graph, "graph"), graph, job.with(new Spooling(output, generation, toItsEnd, spoolFolder,
                keepsAll ? Long.MAX_VALUE : spoolBytes, false)));
    }

    /** The rows' schema, from planning the graph. */
    StructType schema() {
        return SparkTypes.struct(packets());
    }

    Schema packets() {
        return planned(submission("", false, false)).plan().operator(output).inputs().get(0).schema();
    }

    /** @throws IllegalArgumentException with the diagnostics of {@code despina check} if the graph is refused */
    static JobPlan planned(Submission submission) {
        Checked<JobPlan> checked = JobPlan.of(submission.graphText(), submission.fileName(), submission.options());
        if (!checked.ok()) {
            throw new IllegalArgumentException(checked.render());
        }
        return checked.value();
    }
}
