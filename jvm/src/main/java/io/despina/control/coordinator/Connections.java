package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.catalogue.UserCode;
import io.despina.control.assembly.Hints;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.OperatorFactory;
import io.despina.control.assembly.UserJars;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Place;
import io.despina.descriptor.Severity;
import io.despina.json.Json;
import io.despina.operator.HintedException;
import io.despina.operator.Probe;
import io.despina.operator.Reason;
import io.despina.operator.database.source.FoundTable;
import io.despina.placement.Deployment;
import io.despina.plan.PlannedOperator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tries what the operators of a graph connect to, or looks for what they have left there, all at the same time. Each has a
 * thread of its own, which is left behind if it does not come back: a driver may wait for longer than it was told.
 */
final class Connections {
    private static final String RULE = "connection";
    private static final long MILLIS = 5_000;
    /** For a probe to say itself what did not answer. */
    private static final long GRACE_MILLIS = 1_000;
    private static final Pattern FIELD = Pattern.compile("`(\\w+)`");

    private final JobPlan planned;
    private final JobOptions.Tries tries;
    private final String file;
    private final Path directory;
    private final List<UserJars> opened = new ArrayList<>();

    Connections(JobPlan planned, String file, JobOptions options) {
        this.planned = planned;
        this.file = file;
        tries = options.tries();
        directory = Path.of(options.directory());
    }

    /** Adds what was found, see {@code Gateway.check}, in the order of the graph. Blocks for some seconds at most. */
    void addTo(ArrayNode all) {
        try {
            Map<String, FutureTask<String>> probes = begun();
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS + GRACE_MILLIS);
            for (Graph.Operator each : planned.graph().operators()) {
                FutureTask<String> probe = probes.get(each.id());
                if (probe != null) {
                    all.add(result(each, probe, end));
                }
            }
        } finally {
            opened.forEach(UserJars::close);
        }
    }

    /** See {@code Gateway.table}. */
    ObjectNode table() throws Refusal {
        PlannedOperator source = planned.plan().operators().get(0);
        try {
            FoundTable found = factory(source).table(source, MILLIS);
            ObjectNode answer = Json.object().put("schema", found.schema().sql()).put("column", found.column());
            ArrayNode notes = answer.putArray("notes");
            found.notes().forEach(notes::add);
            return answer;
        } catch (IOException | RuntimeException why) {
            throw new Refusal(RULE, Reason.visible(Reason.of(why)), hint(why));
        } finally {
            opened.forEach(UserJars::close);
        }
    }

    private OperatorFactory factory(PlannedOperator of) {
        return new OperatorFactory(planned.plan(), null, new UserCode(classes(of.spec().userClass()), null));
    }

    private Map<String, FutureTask<String>> begun() {
        Map<String, FutureTask<String>> probes = new LinkedHashMap<>();
        for (PlannedOperator each : planned.plan().operators()) {
            Probe probe = probe(each);
            if (probe != null) {
                FutureTask<String> task = new FutureTask<>(() -> probe.run(MILLIS));
                Thread thread = new Thread(task, "despina-probe-" + each.id());
                thread.setDaemon(true);
                thread.start();
                probes.put(each.id(), task);
            }
        }
        return probes;
    }

    /** Null if there is nothing to try. */
    private Probe probe(PlannedOperator of) {
        if (tries.connects()) {
            return factory(of).probe(of);
        }
        List<String> names = tries.leftovers().get(of.id());
        return names == null ? null : factory(of).leftovers(of, names, tries.removes());
    }

    /** The jars that have the class, as far as they lie on this machine; null if none has. */
    private UserJars classes(String name) {
        if (name == null) {
            return null;
        }
        Set<List<String>> all = new LinkedHashSet<>();
        planned.deployment().resources().forEach(each -> all.add(each.user().jars()));
        for (List<String> jars : all) {
            UserJars classes = open(jars);
            if (classes != null) {
                opened.add(classes);
                try {
                    Class.forName(name, false, classes);
                    return classes;
                } catch (ClassNotFoundException | LinkageError other) {
                    continue;       // another resource's jars may have it
                }
            }
        }
        return null;
    }

    private UserJars open(List<String> jars) {
        try {
            return UserJars.open(jars, directory, Deployment.LOCAL);
        } catch (IllegalArgumentException elsewhere) {
            return null;
        }
    }

    private ObjectNode result(Graph.Operator operator, FutureTask<String> probe, long end) {
        ObjectNode result = Json.object().put("operator", operator.id());
        try {
            return result.put("words", probe.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS));
        } catch (TimeoutException silent) {
            probe.cancel(true);
            return result.set("problem", problem(operator, new IllegalStateException("there is no answer within "
                    + TimeUnit.MILLISECONDS.toSeconds(MILLIS) + " s")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return result;
        } catch (ExecutionException failed) {
            return result.set("problem", problem(operator, failed.getCause()));
        }
    }

    private ObjectNode problem(Graph.Operator operator, Throwable why) {
        String message = Reason.visible(Reason.of(why));
        Diagnostic found = new Diagnostic(file, place(operator, message), Severity.ERROR, RULE, message, hint(why));
        return (ObjectNode) Launcher.diagnostics(List.of(found)).get("diagnostics").get(0);
    }

    private static String hint(Throwable why) {
        return why instanceof HintedException hinted ? Hints.of(hinted) : null;
    }

    /** Of the first field that the message names and the operator has; else of the operator. */
    private static Place place(Graph.Operator operator, String message) {
        Matcher named = FIELD.matcher(message);
        while (named.find()) {
            String name = named.group(1);
            if (operator.fields().declares(name) && operator.fields().isWritten(name)) {
                return operator.fields().place(name);
            }
        }
        return operator.place();
    }
}
