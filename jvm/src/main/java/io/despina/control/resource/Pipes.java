package io.despina.control.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.operator.source.file.Pipe;
import io.despina.plan.Plan;
import io.despina.plan.StandardStreams;
import java.nio.file.Path;
import java.util.Map;

/**
 * The pipes for path {@code -} in a job, which carry the command's standard input and standard output. Only the coordinator's
 * process, on the command's machine, can open them.
 */
public final class Pipes {
    private static final String STDIN = "stdin";
    private static final String STDOUT = "stdout";

    private final Map<String, String> paths;

    public Pipes(Map<String, String> paths) {
        this.paths = paths;
    }

    /** Opens the source's pipe. */
    public Pipe.Opener input() {
        return source -> PipeReader.open(Path.of(paths.get(STDIN)), source);
    }

    /** The sink's pipe. */
    public Path output() {
        return Path.of(paths.get(STDOUT));
    }

    /** The names of the pipes that a plan needs, for the command. */
    public static ArrayNode named(Plan plan) {
        ArrayNode names = Json.object().putArray("pipes");
        if (StandardStreams.reads(plan)) {
            names.add(STDIN);
        }
        if (StandardStreams.writes(plan)) {
            names.add(STDOUT);
        }
        return names;
    }

    /** Refuses a job that needs a pipe that was not given. */
    public static void refuseMissing(Plan plan, Map<String, String> paths) throws Refusal {
        if (StandardStreams.reads(plan) && !paths.containsKey(STDIN)) {
            throw new Refusal("path", "path `-` is the standard input of `despina run`, and this job has none",
                    "in Python give the source its rows: graph.run(inputs={…})");
        }
        if (StandardStreams.writes(plan) && !paths.containsKey(STDOUT)) {
            throw new Refusal("path", "path `-` is the standard output of `despina run`, and this job has none",
                    "run it without --json and --report -; in Python take the rows of a collect_sink");
        }
    }
}
