package io.despina.control.assembly;

import io.despina.catalogue.Catalogue;
import io.despina.catalogue.SparkSourceSpec;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Graph;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.Expressions;
import io.despina.expr.Playback;
import io.despina.expr.Recorder;
import io.despina.placement.Assignment;
import io.despina.placement.Deployment;
import io.despina.placement.Placement;
import io.despina.plan.Guarantees;
import io.despina.plan.Plan;
import io.despina.plan.PlanJson;
import io.despina.plan.PlanOptions;
import io.despina.plan.PlannedOperator;
import io.despina.plan.Planner;
import io.despina.plan.Settings;
import io.despina.spec.Guarantee;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * The plan of a job and its assignment to resources, computed from texts, with the same result in the coordinator and in every
 * resource.
 *
 * @param json     the plan, as {@code check} returns it
 * @param digest   of plan and assignment; equal digests mean equal plans and assignments
 * @param recorder has the compiler's answers; null if it was not used
 */
public record JobPlan(Graph graph, Plan plan, Deployment deployment, Assignment assignment, String json, String digest,
        Recorder recorder) {

    /** The JSON Schema of graphs. */
    public static String schema() {
        return Catalogue.DESCRIPTOR.schema();
    }

    /** Checks a graph and its deployment; the value is null if either is refused. */
    public static Checked<JobPlan> of(String graphText, String fileName, JobOptions options) {
        return of(graphText, fileName, options, deployment(options));
    }

    /** @param deployment {@link #deployment} of the options */
    public static Checked<JobPlan> of(String graphText, String fileName, JobOptions options, Checked<Deployment> deployment) {
        Checked<JobPlan> planned = of(graphText, fileName, options, deployment,
                s -> new Recorder(Expressions.compiler(s.ansi(), s.timeZone(), options.instantMicros())));
        if (!planned.ok() || options.target().isSpark()) {
            return planned;
        }
        List<Diagnostic> all = Guarantees.demanded(planned.value().graph()) == Guarantee.NONE ? new ArrayList<>()
                : new ArrayList<>(planned.value().guarantees(options).weaker(planned.value().graph()));
        JobPlan sound = all.isEmpty() ? planned.value() : null;
        all.addAll(planned.diagnostics());
        if (options.recovery().isOn() && !options.recovery().isLogged()) {
            all.addAll(Guarantees.warnOfNoLogs(planned.value().plan(), planned.value().promises(options),
                    planned.value().graph(), options.recovery().state()));
        }
        return new Checked<>(sound, all);
    }

    /** What it promises of its rows when a part of it is lost. */
    public Guarantees guarantees(JobOptions options) {
        return Guarantees.of(plan, promises(options), !options.recovery().isOn() || options.recovery().isLogged());
    }

    private LoadedPromises promises(JobOptions options) {
        return new LoadedPromises(deployment, Path.of(options.directory()), options.python().functions());
    }

    private static Checked<JobPlan> of(String graphText, String fileName, JobOptions options, Checked<Deployment> deployment,
            Function<Settings, ExpressionCompiler> compilers) {
        Checked<Graph> graph = Catalogue.DESCRIPTOR.load(graphText, fileName, options.parameters());
        if (graph.value() == null) {
            return new Checked<>(null, graph.diagnostics());
        }
        AtomicReference<ExpressionCompiler> asked = new AtomicReference<>();
        Checked<Plan> plan = Planner.plan(graph.value(), Catalogue::planner, s -> asked.updateAndGet(none -> compilers.apply(s)),
                new PlanOptions(options.target(), options.directory(), Set.copyOf(options.inputs()), output(options),
                        options.python().functions()));
        List<Diagnostic> diagnostics = new ArrayList<>(plan.diagnostics());
        diagnostics.addAll(deployment.diagnostics());
        if (!plan.ok() || !deployment.ok()) {
            return new Checked<>(null, diagnostics);
        }
        Checked<Assignment> placed = Placement.place(plan.value(), deployment.value(), graph.value());
        diagnostics.addAll(placed.diagnostics());
        return new Checked<>(!placed.ok() ? null
                : of(plan.value(), graph.value(), deployment.value(), placed.value(), asked.get()), diagnostics);
    }

    private static PlanOptions.Output output(JobOptions options) {
        Spooling read = options.spooling();
        boolean isRead = read != null && !read.sinks().isEmpty();
        return isRead ? new PlanOptions.Output(read.sinks(), read.toItsEnd(), read.alone()) : null;
    }

    /** The deployment of the options; without one, everything runs in one resource. The value is null if it is refused. */
    public static Checked<Deployment> deployment(JobOptions options) {
        return options.deploymentText() == null ? new Checked<>(Deployment.single(Deployment.LOCAL, options.jars()), List.of())
                : Deployment.load(options.deploymentText(), options.deploymentFile());
    }

    /**
     * Repeats the coordinator's planning in a resource.
     *
     * @throws Refusal if the result differs here
     */
    public static JobPlan again(Message.Deploy deploy, String resource) throws Refusal {
        JobOptions options = JobOptions.of(deploy.parameters(), deploy.deploymentText(), deploy.directory(),
                deploy.inputs(), deploy.jars(), deploy.instantMicros(), deploy.spooling());
        Checked<Deployment> deployment = deployment(options);
        if (deployment.ok() && deploy.cast() != null) {
            deployment = new Checked<>(deployment.value().placing(deploy.cast().placed())
                    .moved(deploy.cast().moved()), deployment.diagnostics());
        }
        Checked<JobPlan> planned = of(deploy.graphText(), deploy.fileName(), options, deployment,
                s -> new Playback(deploy.answers(), () -> Expressions.compiler(s.ansi(), s.timeZone(), deploy.instantMicros())));
        if (!planned.ok()) {
            throw new Refusal("deploy", "resource `" + resource + "` refuses the graph: " + planned.render(), null);
        }
        if (!planned.value().digest().equals(deploy.planDigest())) {
            throw new Refusal("deploy", "resource `" + resource + "` plans the graph differently from the coordinator",
                    "it runs version " + Message.Hello.VERSION
                    + ": the versions, and the Spark jars beside them, must be the same");
        }
        return planned.value();
    }

    private static JobPlan of(Plan plan, Graph graph, Deployment deployment, Assignment assignment, ExpressionCompiler compiler) {
        String json = PlanJson.write(plan, graph);
        return new JobPlan(graph, plan, deployment, assignment, json, digest(json, assignment),
                compiler instanceof Recorder r ? r : null);
    }

    private static String digest(String json, Assignment assignment) {
        StringBuilder text = new StringBuilder(json);
        assignment.tasks().forEach(t -> text.append(' ').append(t.chain()).append('.').append(t.instance()).append('@')
                .append(t.resource()));
        assignment.channels().forEach(c -> text.append(' ').append(c.link()).append(':').append(c.sender()).append('>')
                .append(c.receiver()));
        return digest(text.toString());
    }

    /** SHA-256 of a text, in hexadecimal. */
    public static String digest(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The same plan where some resources are lost and others play their parts.
     *
     * @param byLost by lost resource, the one that plays its part; empty if all are there
     */
    public JobPlan moved(Map<String, String> byLost) {
        if (byLost.equals(deployment.losses().moved())) {
            return this;
        }
        Deployment other = deployment.moved(byLost);
        Assignment placed = Placement.place(plan, other, graph).value();
        return new JobPlan(graph, plan, other, placed, json, digest(json, placed), recorder);
    }

    /** The same plan with other places for some operators. @param byOperator resources, in turn */
    public Checked<JobPlan> placed(Map<String, List<String>> byOperator) {
        Deployment other = deployment.placing(byOperator);
        Checked<Assignment> found = Placement.place(plan, other, graph);
        return new Checked<>(!found.ok() ? null : new JobPlan(graph, plan, other, found.value(), json,
                digest(json, found.value()), recorder), found.diagnostics());
    }

    /** The resource of the first instance of an operator that begins a chain. */
    public String hostOf(String operator) {
        return assignment.tasks().stream().filter(t -> assignment.chains().get(t.chain()).id().equals(operator)).findFirst()
                .orElseThrow().resource();
    }

    /** By instance of an operator: the resource that it runs in. */
    public List<String> hostsOf(String operator) {
        return assignment.tasks().stream().filter(t -> assignment.chains().get(t.chain()).operators().contains(operator))
                .sorted(Comparator.comparingInt(Assignment.Task::instance)).map(Assignment.Task::resource).toList();
    }

    /** The sources whose rows programs commit. */
    public List<PlannedOperator> given() {
        return plan.operators().stream().filter(each -> each.spec() instanceof SparkSourceSpec).toList();
    }

    /** The user's classes of a resource. */
    public Deployment.OwnCode ownCode(String resource) {
        return deployment.resources().stream().filter(each -> each.name().equals(resource)).findFirst().orElseThrow().user();
    }

    /** Compiles code that is not kept on disk yet, so that resources of this machine need not. */
    public void keepAll() {
        if (recorder != null) {
            recorder.keepAll();
        }
    }

    /** The compiler's answers that a resource needs to plan the graph without Spark. */
    public byte[] answers() {
        return recorder == null ? new byte[0] : recorder.answers();
    }
}
