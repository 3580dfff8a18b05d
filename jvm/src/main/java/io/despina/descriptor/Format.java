package io.despina.descriptor;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.TEXTS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind.Section;
import java.util.List;

/** The common parts of the graph file and the deployment file, and the declaration of the deployment file. */
public final class Format {
    /** The version of the format that this engine reads and writes. */
    public static final int VERSION = 1;
    /** The pattern of operator ids. */
    public static final String ID = "[a-z][a-z0-9_]*";

    private static final FieldKind START = CommonFields.words("child", "`despina run`, as a process of its own machine.",
            "join", "You, by `despina resource`, on any machine.",
            "executor", "Spark, in one of its executors: `--on executors`. Then all resources of the deployment do.");

    private static final FieldKind POSITIVE = new FieldKind.Real(0, true);
    private static final FieldKind MACHINE = new FieldKind.Fields(Section.of("machine", "What a resource has of its machine. "
            + "`despina doctor --machine --measure`, on that machine, prints it.",
            required("cpus", POSITIVE, "How many processors it may keep busy; no more than it has `cores` or `cpus`."),
            optional("loops_ns", new FieldKind.Fields(Section.of("loops", "How long the machine takes for three loops, in "
                    + "nanoseconds. Their mean says how fast it is beside others.",
                    required("arithmetic", POSITIVE, "A multiplication that needs the result of the one before."),
                    required("memory", POSITIVE, "A read at a place that no cache has."),
                    required("bytes", POSITIVE, "To copy 1,024 bytes and to compute their checksum."))),
                    "as of the machine where the engine's own costs were measured", "How fast it is.")));
    private static final FieldKind NETWORK = new FieldKind.Fields(Section.of("way", "What is between resources.",
            required("between", TEXTS, "Two resources, labels as `@edge`, or `*` for all. Of several ways that fit two resources "
                    + "the first counts."),
            required("mbit_per_s", POSITIVE, "What it carries in each direction, in Mbit per second."),
            or("round_trip_ms", new FieldKind.Real(0, false), "0.2", "How long a byte takes there and back.")));

    private static final FieldKind ON_LOSS = CommonFields.words("wait", "Another one is started, or awaited until it joins.",
            "move", "The resource that has least to do takes its part; without room there, another one is started.",
            "fail", "The job fails.");
    private static final FieldKind PLACING = new FieldKind.Variant("placing", List.of(
            Section.of("spread", "Over all resources, in turn."),
            Section.of("measured", "As `despina place` would place them when the job starts, by what resources measure as they "
                    + "join: docs/placing.md.",
                    optional("from", TEXT, "a table's costs", "The report of an earlier `despina run --report`, which says what "
                            + "operators cost. A relative path is of the working directory of `despina run`."),
                    optional("measured_on", TEXT, "the first", "The resource on whose machine that run was."),
                    or("rates", new FieldKind.MapOf(ID, "source", POSITIVE), "{}", "How many packets come from a source in a "
                            + "second. Of one without a rate that of the report holds."),
                    optional("late", TEXTS, "none", "Resources that join, or labels of some, without which the job begins. When "
                            + "one comes, a job that keeps its state goes on from its last epoch with operators in it, too."),
                    or("look_ms", CommonFields.POSITIVE_MILLIS, "60000", "How often the running job is looked at in the same "
                            + "way, if `balance` of the graph's settings is on: where operators would have more room is told."),
                    or("moves", CommonFields.FLAG, "false", "Whether they move there: a job that keeps its state goes on from "
                            + "its last epoch, as after `despina move`."))));
    /** The whole deployment file. */
    public static final Section DEPLOYMENT = Section.of("deployment", "Where the operators of a graph run.",
            required("format", new FieldKind.Whole(VERSION, VERSION), "The version of the format."),
            optional("doc", CommonFields.DOC, "none", "For people."),
            required("resources", new FieldKind.MapOf(ID, "resource", new FieldKind.Fields(Section.of("resource",
                    "A JVM of its own.",
                    optional("doc", CommonFields.DOC, "none", "For people."),
                    or("start", START, "\"child\"", "Who starts it."),
                    optional("host", TEXT, "`127.0.0.1` for a child; a resource that joins tells it", "The address at which "
                            + "others reach it. Latency is measured only where it is known of all, and the same."),
                    optional("control_port", new FieldKind.Whole(1, 65535), "any free one", "The TCP port of the coordinator "
                            + "(`despina run`). A resource that joins needs it."),
                    or("memory_bytes", new FieldKind.Whole(16L << 20, Long.MAX_VALUE), "268435456",
                            "Memory for packets and state; the heap is set from it. If it is written, a resource that joins must "
                            + "have been started with the same `--memory`."),
                    optional("cores", new FieldKind.Whole(1, 1024), "the machine's",
                            "How many cores it has worker threads for. If it "
                            + "is written, a resource that joins must have as many: `--cores` says so."),
                    optional("count", new FieldKind.Whole(1, 1024), "itself alone", "So many resources alike, which are called "
                            + "`NAME-0`, `NAME-1` and so on. `place` names one of them, or by `NAME` all in turn."),
                    optional("labels", new FieldKind.ListOf(TEXT, 1), "none", "Words of yours, as `edge`: `@edge` in `place` "
                            + "names all resources that have it, in their order here."),
                    optional("cpus", TEXT, "all", "The processors that it runs on, by their numbers in its machine, as `0-3,8`: "
                            + "it is started by `taskset`. A child on Linux has them; `despina doctor --machine` lists them."),
                    optional("node", new FieldKind.Whole(0, 1023), "any", "The NUMA node whose processors it runs on and whose "
                            + "memory it takes: it is started by `numactl`. As `cpus`, which it excludes."),
                    or("pin", CommonFields.words("none", "The system moves them.", "cores", "Each stays on a processor of the "
                            + "resource, by `taskset`: for a child on Linux that shares its processors with nobody."), "\"none\"",
                            "Where worker threads run."),
                    or("poll_us", new FieldKind.Whole(0, 1_000_000), "0", "For how many microseconds a worker thread of a child "
                            + "that has nothing to do looks for work before it sleeps. It takes a processor for as long."),
                    or("io_threads", new FieldKind.Whole(0, 64), "0", "So many threads of a child serve connections beside "
                            + "those that run tasks; 0: each worker thread serves those of its own tasks."),
                    or("share", CommonFields.words("shared", "Other jobs of the command or the service may have the process, and "
                            + "other resources these processors.", "exclusive", "No other job has the process, and no other "
                            + "resource that names processors has one of its own."), "\"shared\"", "Whom a child shares its "
                            + "`cpus` or its `node` with. Where others have some of them, the job is refused."),
                    or("overcommit", CommonFields.FLAG, "true", "false: a child whose processors would have more threads, its "
                            + "own and those of other children of the deployment, is refused. Threads are those that run tasks "
                            + "and the `io_threads`."),
                    optional("machine", MACHINE, "not known", "What it has of its machine: `despina place` goes by it."),
                    optional("jars", TEXTS, "none", "Jars, or folders of classes, with classes of yours that graphs may "
                            + "name. The "
                            + "paths are those of the resource's machine; relative ones are of the working directory of "
                            + "`despina run`."),
                    optional("allow_classes", TEXTS, "none", "The classes in them that may be loaded: names, prefixes ending in "
                            + "`.*`, or `*` for all."),
                    optional("python", TEXT, "that of `despina run`; in an executor Spark's", "The Python that runs functions "
                            + "there, as `/opt/venv/bin/python`: an interpreter on the resource's machine, where a relative path "
                            + "is of the folder that the resource runs in. One that joins has its own.")))),
                    "The resources by name."),
            or("spares", new FieldKind.Whole(0, 64), "0", "How many children stand by with the graph planned and "
                    + "compiled. One of them takes the part of a resource that is lost, if the job keeps its state."),
            or("on_loss", ON_LOSS, "\"wait\"", "What happens when a resource is lost and there is no spare, if the job keeps its "
                    + "state."),
            optional("network", new FieldKind.ListOf(NETWORK, 1), "nothing is narrow", "What is between resources: "
                    + "`despina place` goes by it."),
            or("placing", PLACING, "{\"type\": \"spread\"}", "Where operators run that `place` does not name."),
            optional("place", new FieldKind.MapOf("\\*|" + ID, "operator id or `*`", TEXTS), "as `placing` says",
                    "Which resources run an operator: its first instance the first of them, and so on in turn. `@edge` stands "
                            + "for all that have the label `edge`, and `*` for all operators that are not named. "
                            + "`[\"spark\"]` lets Spark itself run an operator: "
                            + "docs/split-graphs.md."));

    private Format() {
    }
}
