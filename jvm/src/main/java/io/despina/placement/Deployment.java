package io.despina.placement;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Descriptor;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The resources of a graph, and rules for placing operators.
 *
 * @param file      as the user named it; for messages
 * @param resources in the file's order, at least one
 * @param rules     in the file's order
 * @param losses    what happens when a resource is lost
 * @param measured  places operators that no rule names; null if they are spread over all resources
 */
public record Deployment(String file, List<Resource> resources, List<PlaceRule> rules, Losses losses, MeasuredRule measured) {

    /** Who plays the part of a lost resource if there is no spare. */
    public enum OnLoss { WAIT, MOVE, FAIL }

    /**
     * What happens when a resource is lost.
     *
     * @param spares how many stand by
     * @param moved  by resource that is lost, the one that plays its part now
     */
    public record Losses(int spares, OnLoss then, Map<String, String> moved) {
        static final Losses WAIT = new Losses(0, OnLoss.WAIT, Map.of());

        public Losses {
            moved = Map.copyOf(moved);
        }
    }

    /**
     * A process that hosts tasks.
     *
     * @param host          empty if it joins and reports its host
     * @param controlPort   0 for any free one
     * @param processors    that it has
     * @param user          what it runs of the user's
     * @param place         its place in the file
     */
    public record Resource(String name, Start start, String host, int controlPort, Memory memory, Processors processors,
            OwnCode user, Place place) {

        /** The same under another name. */
        Resource called(String other) {
            return new Resource(other, start, host, controlPort, memory, processors, user, place);
        }

        /** How many worker threads it has; 0 for as many as the machine has cores. */
        public int cores() {
            return processors.threads().count();
        }

        /** Budget of segments, queues and state. */
        public long memoryBytes() {
            return memory.bytes();
        }

        public boolean allows(String className) {
            return user.allowed().stream().anyMatch(a -> a.equals(ALL) || a.equals(className)
                    || a.endsWith(".*") && className.startsWith(a.substring(0, a.length() - 1)));
        }
    }

    /**
     * The processors of a resource.
     *
     * @param threads that use them
     * @param cpus    their numbers in the machine; null if none are written
     * @param node    a NUMA node, whose memory it takes too; {@link #NO_NODE} if none is written
     * @param use     who else may use them
     */
    public record Processors(WorkerThreads threads, Cpus cpus, int node, ProcessorUse use) {
        static final int NO_NODE = -1;

        /** Those that the system chooses. */
        public static Processors any(WorkerThreads threads) {
            return new Processors(threads, null, NO_NODE, ProcessorUse.SHARED);
        }

        /** Whether it runs on some alone. */
        public boolean areNamed() {
            return cpus != null || node != NO_NODE;
        }
    }

    /**
     * The user's classes and functions.
     *
     * @param jars    paths of jars and class folders on the resource's machine
     * @param allowed classes that may be loaded: names, prefixes ending in {@code .*}, or {@code *}
     * @param python  the interpreter that runs functions there; null for the one that the job names
     */
    public record OwnCode(List<String> jars, List<String> allowed, String python) {

        public OwnCode {
            jars = List.copyOf(jars);
            allowed = List.copyOf(allowed);
        }
    }

    /** Who starts a resource. */
    public enum Start {
        /** The coordinator, as a process of its own machine. */
        CHILD,
        /** Someone else, anywhere; it connects to the coordinator. */
        JOIN,
        /** The coordinator, as a task in an executor of the Spark application whose driver it lives in. */
        EXECUTOR
    }

    /** @param isWritten whether the file sets it */
    public record Memory(long bytes, boolean isWritten) {
    }

    /**
     * Instance i of an operator runs in the i-th of these resources, modulo their number.
     *
     * @param operator  an id, or {@code *} for all that no other rule names
     * @param place     the rule's place in the file
     */
    public record PlaceRule(String operator, List<String> resources, Place place) {

        public PlaceRule {
            resources = List.copyOf(resources);
        }
    }

    /** In place of resources: Spark itself runs the operator, which is in no plan of the engine's. */
    static final String SPARK = "spark";
    private static final String ALL = "*";
    private static final String HERE = "127.0.0.1";
    /** Of a rule that is in no file. */
    private static final Place BY_HAND = new Place(0, 1, 1, "");
    /** A few lines of a file can ask for any number of them. */
    private static final int MOST_RESOURCES = 1 << 12;
    private static final long DEFAULT_MEMORY = 256L << 20;

    public Deployment {
        resources = List.copyOf(resources);
        rules = List.copyOf(rules);
    }

    /** The resources' names, in the file's order. */
    public List<String> names() {
        return resources.stream().map(Resource::name).toList();
    }

    /** The same where some resources are lost and others play their parts. */
    public Deployment moved(Map<String, String> byLost) {
        return new Deployment(file, resources, rules, new Losses(losses.spares, losses.then, byLost), measured);
    }

    /** The same before the resources have come without which the job begins. */
    public Deployment withoutLate() {
        Map<String, String> absent = new TreeMap<>();
        if (measured != null) {
            String present = names().stream().filter(each -> !measured.late().contains(each)).findFirst().orElseThrow();
            measured.late().forEach(each -> absent.put(each, present));
        }
        return moved(absent);
    }

    /** The same with other places for some operators, in place of those that were said so before. */
    public Deployment placing(Map<String, List<String>> byOperator) {
        List<PlaceRule> all = new ArrayList<>();
        byOperator.forEach((operator, places) -> all.add(new PlaceRule(operator, places, BY_HAND)));
        rules.stream().filter(each -> each.place() != BY_HAND).forEach(all::add);
        return new Deployment(file, resources, all, losses, measured);
    }

    /** By operator, the resources of {@link #placing}. */
    public Map<String, List<String>> placedByHand() {
        Map<String, List<String>> placed = new TreeMap<>();
        rules.stream().filter(each -> each.place() == BY_HAND).forEach(each -> placed.put(each.operator(), each.resources()));
        return placed;
    }

    /** Whether spares can play the part of one of its resources. */
    public boolean hasChildren() {
        return resources.stream().anyMatch(each -> each.start() == Start.CHILD);
    }

    /** The first resource that has processors of its own; null if none has. */
    public Resource bound() {
        return resources.stream().filter(each -> each.processors().areNamed()).findFirst().orElse(null);
    }

    /** The resources that are there. */
    public List<Resource> present() {
        return resources.stream().filter(each -> !losses.moved.containsKey(each.name())).toList();
    }

    /** The resource that plays the part of that one. */
    String host(String name) {
        return losses.moved.getOrDefault(name, name);
    }

    /** Whether Spark itself runs the operator. */
    boolean isOnSpark(PlaceRule rule) {
        return rule.resources().equals(List.of(SPARK)) && !names().contains(SPARK);
    }

    /** The resources of an operator's instances by its own rule, else by that of {@code *}; null without either. */
    public List<String> placed(String operator) {
        return Stream.of(operator, "*").flatMap(name -> rules.stream()
                .filter(r -> r.operator().equals(name) && !isOnSpark(r))).findFirst()
                .map(PlaceRule::resources).orElse(null);
    }

    /** The resource in the coordinator's own JVM, if there is no deployment file. */
    public static final String LOCAL = "local";

    /** Whether it was read from a file; its resources are then processes of their own. */
    public boolean isWritten() {
        return !file.isEmpty();
    }

    /** Everything in one resource of that name. */
    public static Deployment single(String name) {
        return single(name, List.of());
    }

    /** The same with jars of the user, whose classes may all be loaded, because naming a jar allows it. */
    public static Deployment single(String name, List<String> jars) {
        return new Deployment("", List.of(new Resource(name, Start.CHILD, HERE, 0, new Memory(DEFAULT_MEMORY, false),
                Processors.any(WorkerThreads.of(0)), new OwnCode(jars, jars.isEmpty() ? List.of() : List.of(ALL), null),
                new Place(0, 1, 1, ""))), List.of(),
                Losses.WAIT, null);
    }

    /** Reads a deployment file; null if it has errors. Operator names are checked by {@link Placement#place}. */
    public static Checked<Deployment> load(String text, String fileName) {
        Checked<Values> read = Descriptor.loadDeployment(text, fileName);
        if (read.value() == null) {
            return new Checked<>(null, read.diagnostics());
        }
        Diagnostics diagnostics = new Diagnostics(fileName);
        long all = read.value().map("resources").values().stream().mapToLong(each -> each.whole("count", 1)).sum();
        if (all > MOST_RESOURCES) {
            diagnostics.error(read.value().place("resources"), Rule.OUT_OF_RANGE, "the deployment has " + all + " resources",
                    "it may have " + MOST_RESOURCES + " at most, with those that `count` makes");
            return Checked.of(null, diagnostics);
        }
        List<Resource> resources = new ArrayList<>();
        ResourceNames named = new ResourceNames();
        read.value().map("resources").forEach((name, fields) -> {
            Resource resource = resource(name, fields, ProcessorFields.read(name, fields, diagnostics));
            checkStart(resource, fields, diagnostics);
            named.add(name, fields).forEach(each -> resources.add(resource.called(each)));
        });
        if (resources.isEmpty()) {
            diagnostics.error(read.value().place("resources"), Rule.NO_RESOURCE, "the deployment has no resources",
                    "name at least one, or run without a deployment");
        }
        checkExecutors(resources, diagnostics);
        List<String> names = resources.stream().map(Resource::name).toList();
        List<PlaceRule> rules = new ArrayList<>();
        read.value().lists("place").forEach((operator, places) -> {
            boolean onSpark = places.size() == 1 && places.get(0).value().equals(SPARK) && !operator.equals(ALL)
                    && !named.has(SPARK, names);
            rules.add(new PlaceRule(operator, onSpark ? List.of(SPARK) : named.of(places, names, diagnostics),
                    places.get(0).place()));
        });
        Losses losses = new Losses((int) read.value().whole("spares", 0), read.value().constant("on_loss", OnLoss.class),
                Map.of());
        Values placing = read.value().fields("placing");
        List<String> late = placing.declares("late") ? named.of(placing.texts("late"), names, diagnostics) : List.of();
        Deployment deployment = new Deployment(fileName, resources, rules, losses, MeasuredRule.read(placing, late));
        checkSpares(deployment, read.value(), diagnostics);
        ProcessorFields.checkSpares(deployment, read.value(), diagnostics);
        checkMeasured(deployment, read.value(), diagnostics);
        return Checked.of(deployment, diagnostics);
    }

    private static Resource resource(String name, Values v, Processors processors) {
        Start start = v.constant("start", Start.class);
        return new Resource(name, start, v.string("host", start == Start.CHILD ? HERE : ""), (int) v.whole("control_port", 0),
                new Memory(v.whole("memory_bytes", 0), v.isWritten("memory_bytes")),
                processors, new OwnCode(texts(v, "jars"), texts(v, "allow_classes"), v.string("python", null)), v.place());
    }

    private static List<String> texts(Values v, String field) {
        return v.texts(field).stream().map(Text::value).toList();
    }

    private static void checkStart(Resource resource, Values v, Diagnostics diagnostics) {
        String name = "resource `" + resource.name() + "`";
        switch (resource.start()) {
            case CHILD -> {
                if (!resource.host().equals(HERE) && !resource.host().equals("localhost")) {
                    diagnostics.error(v.place("host"), Rule.EXCLUSIVE, name + " is a child of the command, on the same machine,"
                            + " and its host is " + resource.host(), "add \"start\": \"join\" if you start it there with"
                            + " `despina resource`; else leave out \"host\"");
                }
            }
            case JOIN -> {
                if (resource.controlPort() == 0) {
                    diagnostics.error(v.place("start"), Rule.EXCLUSIVE, name + " joins, and has no control_port",
                            "add \"control_port\": the TCP port at which the coordinator awaits it");
                }
                if (resource.user().python() != null) {
                    diagnostics.error(v.place("python"), Rule.EXCLUSIVE, name + " joins, and whoever starts it says which Python"
                            + " it runs", "leave out \"python\", and start it with `despina resource --python "
                            + resource.user().python() + "`");
                }
            }
            case EXECUTOR -> {
                // Spark finds its host, and it tells where it listens
            }
        }
    }

    private static void checkSpares(Deployment deployment, Values v, Diagnostics diagnostics) {
        if (deployment.losses.spares() > 0 && !deployment.resources.isEmpty() && !deployment.hasChildren()) {
            diagnostics.error(v.place("spares"), Rule.EXCLUSIVE, "spares are children of the command, and no resource is one",
                    "start two resources of one name elsewhere with --keep: the second joins when the first is lost");
        }
    }

    private static void checkMeasured(Deployment deployment, Values v, Diagnostics diagnostics) {
        if (deployment.measured == null) {
            return;
        }
        if (deployment.rules.stream().anyMatch(each -> each.operator().equals(ALL))) {
            diagnostics.error(v.place("placing"), Rule.EXCLUSIVE, "operators are to be placed by what is measured, and `place` "
                    + "binds all of them by `*`", "name in `place` those that must run somewhere, or leave `placing` out");
        }
        List<String> late = deployment.measured.late();
        Place at = v.fields("placing").place("late");
        deployment.resources.stream().filter(each -> late.contains(each.name()) && each.start() != Start.JOIN)
                .forEach(each -> diagnostics.error(at, Rule.EXCLUSIVE, "resource `" + each.name() + "` is late, and it is "
                        + "started with the job", "one that is late joins: \"start\": \"join\""));
        deployment.rules.stream().flatMap(each -> each.resources().stream()).filter(late::contains).distinct()
                .forEach(each -> diagnostics.error(at, Rule.EXCLUSIVE, "resource `" + each + "` is late, and `place` has an "
                        + "operator that runs there alone", "the job cannot begin without it: leave it out of one of them"));
        if (late.size() == deployment.resources.size()) {
            diagnostics.error(at, Rule.EXCLUSIVE, "all resources are late", "the job begins with those that are not");
        }
        if (!late.isEmpty() && deployment.losses.then() == OnLoss.MOVE) {
            diagnostics.error(at, Rule.EXCLUSIVE, "resources are late, and others play the parts of those that are lost",
                    "leave out \"late\", or \"on_loss\": \"move\"");
        }
    }

    private static void checkExecutors(List<Resource> resources, Diagnostics diagnostics) {
        Resource executor = resources.stream().filter(r -> r.start() == Start.EXECUTOR).findFirst().orElse(null);
        if (executor != null) {
            resources.stream().filter(r -> r.start() != Start.EXECUTOR).forEach(r -> diagnostics.error(r.place(), Rule.EXCLUSIVE,
                    "resource `" + r.name() + "` does not run in an executor, and `" + executor.name() + "` does",
                    "all resources of a deployment run in executors, or none does"));
        }
    }
}
