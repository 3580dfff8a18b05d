package io.despina.control.assembly;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.plan.Target;
import io.despina.python.Interpreter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Options of {@code check} and {@code run}; the gateway documents each.
 *
 * @param deploymentText null without a deployment
 * @param durationMillis 0 for no end
 * @param stopping       how it ends before its input does
 * @param directory      for relative paths
 * @param secretFile     null if no resource joins from elsewhere
 * @param tls            folder of its files; null for plain TCP
 * @param listen         host at which resources join
 * @param joinMillis     how long to wait for each of them
 * @param inputs         sources that get their packets from Python
 * @param pipes          {@code stdin} and {@code stdout}: the pipes for path {@code -}; without one that path is refused
 * @param jars           of the user, for a run without a deployment
 * @param instantMicros  the value of {@code now()} in the whole job, since 1970-01-01T00:00Z
 * @param spooling       null unless programs read rows of sinks from disk
 * @param recovery       how it outlives a loss
 * @param outliving      how it outlives its coordinator
 * @param python         the functions of the graph
 * @param tries          what else {@code check} is to do
 */
public record JobOptions(Map<String, String> parameters, String deploymentText, String deploymentFile, Target target,
        long durationMillis, long warmUpMillis, Stopping stopping, String secretFile, String tls, long startedAtMillis,
        String directory, String listen, long joinMillis, List<String> inputs, Map<String, String> pipes,
        List<String> jars, long instantMicros, Spooling spooling, Recovery recovery, Outliving outliving,
        PythonCode python, Tries tries) {
    /**
     * How a job ends before its input does.
     *
     * @param mode        one of {@link Message.Stop#MODES}
     * @param drainMillis the time for packets in flight, and then for rows that are kept for Python
     */
    public record Stopping(String mode, long drainMillis) {

        /** That time, if it ends by this mode. */
        public long millis(String by) {
            return by.equals(Message.Stop.NOW) ? 0 : drainMillis;
        }
    }

    /**
     * What else {@code check} is to do.
     *
     * @param connects  whether it tries connections
     * @param leftovers by operator the names under which a job that is given up may have left something; else empty
     * @param removes   whether that is removed
     * @param known     {@code {"report": text or null, "report_file": its name, "measured_on": resource, "rates": {source:
     *                  packets per second}}}: by what it says in {@code proposal} where operators should run; null for nothing
     */
    public record Tries(boolean connects, Map<String, List<String>> leftovers, boolean removes, ObjectNode known) {
        static final Tries NONE = new Tries(false, Map.of(), false, null);

        private static Tries parse(ObjectNode options) {
            Map<String, List<String>> names = new LinkedHashMap<>();
            JsonNode given = options.path("leftovers");
            given.fieldNames().forEachRemaining(each -> names.put(each, texts(given.get(each))));
            return new Tries(options.path("connect").asBoolean(), names, options.path("remove").asBoolean(),
                    options.get("known") instanceof ObjectNode known ? known : null);
        }
    }

    private static final long DRAIN_MS = 10_000;
    private static final long JOIN_MS = 60_000;
    private static final double MS_PER_S = 1e3;
    private static final Set<String> NAMES = Set.of("parameters", "deployment_text", "deployment_file", "for_spark", "streaming",
            "duration_s", "warm_up_s", "on_stop", "drain_ms", "secret_file", "tls", "started_at_ms", "directory", "listen",
            "join_timeout_s", "inputs", "pipes", "jars", "instant_micros", "serve", "spool_bytes", "delivery", "state",
            "epoch_ms", "resume", "from", "from_start", "drop", "rename", "supervised_since_ms", "spares", "python",
            "connect", "leftovers", "remove", "known", "part", "coordinator_lost_ms", "standby", "registry");
    private static final String HERE = "127.0.0.1";

    /** @param wall milliseconds since 1970: when the call came, if the options do not say otherwise */
    public static JobOptions parse(String json, LongSupplier wall) throws Refusal {
        ObjectNode options = GivenJson.parseObject(json, "options");
        for (Iterator<String> names = options.fieldNames(); names.hasNext();) {
            String name = names.next();
            if (!NAMES.contains(name)) {
                throw new Refusal("options", "unknown option `" + name + "`", "one of "
                        + String.join(", ", NAMES.stream().sorted().toList()));
            }
        }
        List<String> jars = texts(options.path("jars"));
        if (!jars.isEmpty() && options.hasNonNull("deployment_text")) {
            throw new Refusal("options", "jars are named here for a run without a deployment, and there is one",
                    "name them in the deployment: \"jars\" of a resource");
        }
        return new JobOptions(named(options.path("parameters")), text(options, "deployment_text"),
                options.path("deployment_file").asText("deployment"), target(options),
                millis(options, "duration_s", MS_PER_S), millis(options, "warm_up_s", MS_PER_S),
                new Stopping(stopMode(options.path("on_stop").asText(Message.Stop.DRAIN)),
                        options.has("drain_ms") ? millis(options, "drain_ms", 1) : DRAIN_MS), text(options, "secret_file"),
                text(options, "tls"), options.path("started_at_ms").asLong(wall.getAsLong()),
                options.path("directory").asText(System.getProperty("user.dir")),
                options.path("listen").asText(HERE),
                options.has("join_timeout_s") ? millis(options, "join_timeout_s", MS_PER_S) : JOIN_MS,
                texts(options.path("inputs")), named(options.path("pipes")), jars,
                options.path("instant_micros").asLong(TimeUnit.MILLISECONDS.toMicros(wall.getAsLong())), served(options),
                Recovery.parse(options), Outliving.parse(options), PythonCode.parse(options.path("python")),
                Tries.parse(options));
    }

    /** @throws Refusal if it is no way to stop */
    public static String stopMode(String mode) throws Refusal {
        if (!Message.Stop.MODES.contains(mode)) {
            throw new Refusal("stop_mode", "unknown way to stop: `" + mode + "`", "drain, flush or now");
        }
        return mode;
    }

    private static Target target(ObjectNode options) throws Refusal {
        boolean spark = options.path("for_spark").asBoolean();
        if (!options.path("streaming").asBoolean()) {
            return spark ? Target.SPARK : Target.ENGINE;
        }
        if (!spark) {
            throw new Refusal("options", "streaming is a form of Spark's", "add \"for_spark\": true");
        }
        return Target.SPARK_STREAMING;
    }

    /** How rows are kept for programs; null if nothing is said of that. */
    private static Spooling served(ObjectNode options) throws Refusal {
        boolean keepsState = options.hasNonNull("state");
        boolean isSaid = !options.path("serve").isEmpty() || options.hasNonNull("delivery")
                || keepsState && options.hasNonNull("spool_bytes");
        if (!isSaid) {
            return null;
        }
        long bytes = options.path("spool_bytes").asLong(Spooling.MOST_BYTES);
        if (bytes <= 0) {
            throw new Refusal("options", "spool_bytes=" + bytes + " is no number from 1 on", null);
        }
        return new Spooling(texts(options.path("serve")), UUID.randomUUID().toString(), false, false, null, bytes, true,
                Spooling.atOnce(text(options, "delivery"), keepsState));
    }

    /** The options that planning needs. */
    static JobOptions of(Map<String, String> parameters, String deploymentText, String directory, List<String> inputs,
            List<String> jars, long instantMicros, Spooling spooling) {
        return new JobOptions(parameters, deploymentText, "deployment", Target.ENGINE, 0, 0,
                new Stopping(Message.Stop.DRAIN, 0), null, null, 0, directory, HERE,
                JOIN_MS, inputs, Map.of(), jars, instantMicros, spooling, Recovery.NONE, Outliving.NONE,
                PythonCode.NONE, Tries.NONE);
    }

    /** The same, for a program that reads rows of sinks. */
    public JobOptions with(Spooling read) {
        return new JobOptions(parameters, deploymentText, deploymentFile, target, durationMillis, warmUpMillis, stopping,
                secretFile, tls, startedAtMillis, directory, listen, joinMillis, inputs, pipes, jars, instantMicros, read,
                recovery, outliving, python, tries);
    }

    /** The same, of a job whose {@code now()} an earlier attempt has set. */
    public JobOptions at(long micros) {
        return new JobOptions(parameters, deploymentText, deploymentFile, target, durationMillis, warmUpMillis, stopping,
                secretFile, tls, startedAtMillis, directory, listen, joinMillis, inputs, pipes, jars, micros, spooling, recovery,
                outliving, python, tries);
    }

    /** What runs the functions of the graph; null if nothing was named. */
    public Interpreter interpreter() {
        return python.interpreter();
    }

    private static Map<String, String> named(JsonNode object) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Iterator<String> names = object.fieldNames(); names.hasNext();) {
            String name = names.next();
            texts.put(name, object.get(name).asText());
        }
        return texts;
    }

    static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static String text(ObjectNode options, String name) {
        return options.hasNonNull(name) ? options.get(name).asText() : null;
    }

    private static long millis(ObjectNode options, String name, double unit) throws Refusal {
        double value = options.path(name).asDouble(0);
        if (!(value >= 0) || value * unit > Long.MAX_VALUE / 2) {
            throw new Refusal("options", name + "=" + options.get(name) + " is not a span of time", null);
        }
        return Math.round(value * unit);
    }
}
