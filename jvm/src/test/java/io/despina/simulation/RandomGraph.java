package io.despina.simulation;

import io.despina.buffer.SegmentPool;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelSpec;
import io.despina.link.LinkSpec;
import io.despina.operator.Operator;
import io.despina.runtime.deployment.InputSpec;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.spec.Blocking;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.OnError;
import io.despina.spec.Partition;
import io.despina.spec.Schedule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A graph made up at random: sources, copies, splits, as-of joins and sinks, linked forward in every way (fan-out, fan-in,
 * diamonds), partitioned, fused, scheduled and placed over resources; and the rows that each sink must see.
 */
final class RandomGraph {
    private static final int USUAL_FILLER = 3000;
    /** What a packet has besides its filler, at most, and a little. */
    private static final int BESIDES = 1096;
    private static final int RANKS_PER_NODE = 2;
    private static final int BUCKETS = 32;

    private enum Kind { SOURCE, COPIES, SPLIT, AS_OF, SINK }

    /** An operator of the graph. */
    private static final class Node {
        private final String id;
        private final Kind kind;
        private final int parallelism;
        private final int copies;
        private final List<Edge> in = new ArrayList<>();
        private final List<Edge> out = new ArrayList<>();
        /** The node this one is fused behind, or null. */
        private Node fusedBehind;
        private int[] place;
        private Blocking blocking = Blocking.NEVER;
        private int depth;
        private Schedule schedule = Schedule.DATA;
        /** Per source instance and time: how many packets come. */
        private final Map<Long, Long> expected = new TreeMap<>();

        private Node(String id, Kind kind, int parallelism, int copies) {
            this.id = id;
            this.kind = kind;
            this.parallelism = parallelism;
            this.copies = copies;
        }

        private int ports() {
            return kind == Kind.SPLIT ? 2 : kind == Kind.SINK ? 0 : 1;
        }
    }

    private record Edge(Node from, int fromPort, Node to, int toPort, Partition partition, BufferSpec buffer, int firstChannel) {
        String name() {
            return from.id + "." + fromPort + "->" + to.id + "." + toPort;
        }

        int channel(int sender, int receiver) {
            return firstChannel + sender * to.parallelism + receiver;
        }
    }

    private final Random random;
    private final int resources;
    /** Bytes in the largest packets' filler. */
    private final int largest;
    private final List<Node> nodes = new ArrayList<>();
    private final TaskSettings settings;
    /** Of all nodes, which then have few links each, so that most can be fused; or 0. */
    private final int alike;
    private int channels;
    private int[] ports;
    private final Map<String, List<List<SimulatedOperators.Row>>> collected = new TreeMap<>();

    RandomGraph(Random random, int resources) {
        this(random, resources, USUAL_FILLER);
    }

    /** @param largest bytes in the largest packets' filler */
    RandomGraph(Random random, int resources, int largest) {
        this.random = random;
        this.resources = resources;
        this.largest = largest;
        settings = new TaskSettings(random.nextInt(10) > 0, random.nextInt(10) > 0,
                random.nextBoolean() ? 100_000_000L : 300_000L, largest + BESIDES);
        alike = random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0;
        int sources = 1 + random.nextInt(3);
        for (int k = 0; k < sources; k++) {
            add(Kind.SOURCE);
        }
        int inner = random.nextInt(7);
        for (int k = 0; k < inner; k++) {
            add(Kind.values()[1 + random.nextInt(3)]);
        }
        int sinks = 1 + random.nextInt(2);
        for (int k = 0; k < sinks; k++) {
            add(Kind.SINK);
        }
        link();
        nodes.forEach(this::place);
        fuse();
    }

    private void add(Kind kind) {
        int parallelism = alike > 0 ? alike : 1 + random.nextInt(3);
        Node node = new Node(kind.name().toLowerCase() + nodes.size(), kind, parallelism, 1 + random.nextInt(3));
        node.blocking = switch (random.nextInt(8)) {
            case 0 -> Blocking.ALWAYS;
            case 1, 2 -> Blocking.OPENING;
            default -> Blocking.NEVER;
        };
        if (kind != Kind.SOURCE && random.nextInt(4) == 0) {
            node.schedule = schedule();
        }
        nodes.add(node);
    }

    private Schedule schedule() {
        return switch (random.nextInt(3)) {
            case 0 -> new Schedule.Periodic(1 + random.nextInt(5_000_000));
            case 1 -> new Schedule.Count(1 + random.nextInt(200));
            default -> new Schedule.Any(List.of(new Schedule.Count(500), new Schedule.Periodic(2_000_000)));
        };
    }

    /** Every input has at least one link from an earlier node, and every output leads to a later one, or one of its own. */
    private void link() {
        for (int k = 0; k < nodes.size(); k++) {
            Node to = nodes.get(k);
            int inputs = to.kind == Kind.SOURCE ? 0 : to.kind == Kind.AS_OF ? 2 : 1;
            for (int port = 0; port < inputs; port++) {
                int links = random.nextInt(alike > 0 ? 9 : 3) == 0 ? 2 : 1;
                for (int l = 0; l < links; l++) {
                    link(earlier(k), to, port);
                }
            }
        }
        for (int k = 0; k < nodes.size(); k++) {
            Node from = nodes.get(k);
            for (int port = 0; port < from.ports(); port++) {
                int at = port;
                if (from.out.stream().noneMatch(e -> e.fromPort == at)) {
                    if (alike > 0) {
                        add(Kind.SINK);
                    }
                    link(from, at, nodes.get(nodes.size() - 1), 0);
                }
            }
        }
    }

    private Node earlier(int before) {
        List<Node> candidates = nodes.subList(0, before).stream().filter(n -> n.ports() > 0).toList();
        return candidates.get(random.nextInt(candidates.size()));
    }

    private void link(Node from, Node to, int toPort) {
        link(from, random.nextInt(from.ports()), to, toPort);
    }

    /** Not twice the same: then a packet's path would not tell which channels it took. */
    private void link(Node from, int fromPort, Node to, int toPort) {
        if (to.in.stream().anyMatch(e -> e.from == from && e.fromPort == fromPort && e.toPort == toPort)) {
            return;
        }
        Partition partition = from.parallelism == to.parallelism && (alike > 0 || random.nextBoolean()) || to.parallelism == 1
                ? new Partition.Forward() : partition();
        BufferSpec buffer = new BufferSpec(256 << random.nextInt(6), random.nextInt(3) * 500_000L, random.nextInt(4) == 0);
        Edge edge = new Edge(from, fromPort, to, toPort, partition, buffer, channels);
        channels += from.parallelism * to.parallelism;
        from.out.add(edge);
        to.in.add(edge);
        to.depth = Math.max(to.depth, from.depth + 1);
    }

    private Partition partition() {
        return switch (random.nextInt(4)) {
            case 0 -> new Partition.RoundRobin();
            case 1 -> new Partition.Broadcast();
            case 2 -> new Partition.LeastLoaded();
            default -> new Partition.Hash(List.of(), () -> p -> (int) (p.getLong(SimulatedOperators.TIME) * 31), BUCKETS);
        };
    }

    private void place(Node node) {
        node.place = new int[node.parallelism];
        for (int k = 0; k < node.parallelism; k++) {
            node.place[k] = random.nextInt(resources);
        }
    }

    private void fuse() {
        for (Node node : nodes) {
            if (node.in.size() != 1 || random.nextInt(alike > 0 ? 9 : 3) == 0 || node.blocking == Blocking.ALWAYS
                    || node.schedule != Schedule.DATA) {
                continue;
            }
            Edge edge = node.in.get(0);
            boolean alone = edge.from.out.stream().filter(e -> e.fromPort == edge.fromPort).count() == 1;
            if (alone && edge.from.blocking != Blocking.ALWAYS && edge.from.parallelism == node.parallelism
                    && edge.partition instanceof Partition.Forward && node.kind != Kind.AS_OF) {
                node.fusedBehind = edge.from;
                node.place = edge.from.place;
            }
        }
    }

    /** Whether several stages are fused behind one. */
    boolean isForked() {
        return nodes.stream().anyMatch(node -> nodes.stream().filter(each -> each.fusedBehind == node).count() > 1);
    }

    // The tasks.

    /** Tasks per resource. @param dataPorts of the resources */
    List<List<TaskSpec>> tasks(int... dataPorts) {
        ports = dataPorts;
        List<List<TaskSpec>> tasks = new ArrayList<>();
        for (int r = 0; r < resources; r++) {
            tasks.add(new ArrayList<>());
        }
        for (Node node : nodes) {
            for (int k = 0; k < node.parallelism && node.fusedBehind == null; k++) {
                tasks.get(node.place[k]).add(task(node, k));
            }
        }
        return tasks;
    }

    private TaskSpec task(Node first, int instance) {
        List<StageSpec> stages = new ArrayList<>();
        List<PortSpec> outputs = new ArrayList<>();
        List<Node> its = new ArrayList<>(List.of(first));
        nodes.stream().filter(node -> its.contains(node.fusedBehind)).forEach(its::add);
        Blocking blocking = first.blocking;
        for (Node node : its) {
            StageSpec stage = new StageSpec(node.id, instance, node.parallelism, operator(node, instance),
                    new StageSpec.Ports(Collections.nCopies(node.kind == Kind.SOURCE ? 0 : node.kind == Kind.AS_OF ? 2 : 1,
                            SimulatedOperators.SCHEMA),
                            Collections.nCopies(node.ports(), SimulatedOperators.SCHEMA)), OnError.FAIL, List.of(),
                            StageSpec.Role.WHOLE);
            for (Edge edge : node.out) {
                if (edge.to.fusedBehind == node) {
                    stage = stage.fusedInto(new StageSpec.Fused(edge.fromPort, its.indexOf(edge.to), edge.name(), rank(node)));
                }
            }
            outputs(node, instance, stages.size(), outputs);
            stages.add(stage);
            blocking = blocking == Blocking.NEVER ? node.blocking : blocking;
        }
        return new TaskSpec(first.id + "-" + instance, stages, inputs(first, instance), outputs, blocking, first.schedule,
                settings);
    }

    private List<InputSpec> inputs(Node node, int instance) {
        List<InputSpec> inputs = new ArrayList<>();
        for (Edge edge : node.in) {
            List<ChannelSpec> arriving = new ArrayList<>();
            for (int k = 0; k < edge.from.parallelism; k++) {
                if (isChannel(edge, k, instance)) {
                    arriving.add(channel(edge, k, instance));
                }
            }
            inputs.add(new InputSpec(edge.toPort, arriving));
        }
        return inputs;
    }

    private void outputs(Node node, int instance, int stage, List<PortSpec> outputs) {
        for (int port = 0; port < node.ports(); port++) {
            List<LinkSpec> links = new ArrayList<>();
            for (Edge edge : node.out) {
                if (edge.fromPort == port && edge.to.fusedBehind != node) {
                    List<ChannelSpec> leaving = new ArrayList<>();
                    for (int k = 0; k < edge.to.parallelism; k++) {
                        if (isChannel(edge, instance, k)) {
                            leaving.add(channel(edge, instance, k));
                        }
                    }
                    links.add(new LinkSpec(edge.name(), leaving.size() == 1 ? new Partition.Forward() : edge.partition,
                            edge.buffer, CompressionSpec.DEFAULT, leaving));
                }
            }
            if (!links.isEmpty()) {
                outputs.add(new PortSpec(stage, port, SimulatedOperators.SCHEMA, links));
            }
        }
    }

    private static boolean isChannel(Edge edge, int sender, int receiver) {
        return !(edge.partition instanceof Partition.Forward) || edge.to.parallelism == 1 || sender == receiver;
    }

    private ChannelSpec channel(Edge edge, int sender, int receiver) {
        int id = edge.channel(sender, receiver);
        boolean remote = edge.from.place[sender] != edge.to.place[receiver];
        return (remote ? ChannelSpec.remote(id, edge.name(), "127.0.0.1", ports[edge.to.place[receiver]])
                : ChannelSpec.local(id, edge.name())).with(edge.buffer).ranked(rank(edge.from));
    }

    private static int rank(Node node) {
        return RANKS_PER_NODE * node.depth;
    }

    /** How many ranks there are at most, in any resource. */
    int ranks() {
        return RANKS_PER_NODE * (nodes.stream().mapToInt(node -> node.depth).max().orElse(0) + 1);
    }

    private Supplier<Operator> operator(Node node, int instance) {
        int task = nodes.indexOf(node) * 8 + instance;
        return switch (node.kind) {
            case SOURCE -> {
                long count = random.nextInt(largest > USUAL_FILLER ? 60 : 250);
                long seed = random.nextLong();
                for (long t = 0; t < count; t++) {
                    node.expected.put(task * 1_000_000L + t, 1L);
                }
                yield () -> new SimulatedOperators.NumberSource(task, count, seed, largest);
            }
            case COPIES -> () -> new SimulatedOperators.Multiplier(task, node.copies, largest > USUAL_FILLER ? largest : 0);
            case SPLIT -> () -> new SimulatedOperators.Split(task);
            case AS_OF -> () -> new SimulatedOperators.AsOf(task);
            case SINK -> {
                List<SimulatedOperators.Row> rows = new ArrayList<>();
                collected.computeIfAbsent(node.id, id -> new ArrayList<>()).add(rows);
                yield () -> new SimulatedOperators.Collect(rows);
            }
        };
    }

    /** Enough for the minima, four of the largest packets and as many as may be beyond the budget, and a little. */
    long memory() {
        long minima = 0;
        for (Node node : nodes) {
            for (Edge edge : node.in) {
                long perChannel = Math.max(ChannelOptions.localMinimum(),
                        ChannelOptions.senderMinimum() + SegmentPool.sizeFor(edge.buffer.capacityBytes()));
                minima += perChannel * edge.from.parallelism * edge.to.parallelism;
            }
        }
        long packet = settings.maxPacketBytes();
        return Math.max(minima + 4 * packet, 2 * packet * (2 * ranks() + 2)) + random.nextInt(64 << 10);
    }

    // What must come out.

    /** @throws AssertionError if a sink's rows are not those that the graph says, or a path's packets are out of order */
    void verify() {
        for (Node node : nodes) {
            for (Edge edge : node.in) {
                flow(edge).forEach((key, n) -> {
                    if (node.kind != Kind.AS_OF || edge.toPort == 0) {
                        node.expected.merge(key, n, Long::sum);
                    }
                });
            }
            if (node.kind == Kind.SINK) {
                verify(node);
            }
        }
    }

    private static Map<Long, Long> flow(Edge edge) {
        Map<Long, Long> flow = new TreeMap<>();
        long times = edge.from.kind == Kind.COPIES ? edge.from.copies : 1;
        long receivers = edge.partition instanceof Partition.Broadcast && edge.to.parallelism > 1 ? edge.to.parallelism : 1;
        edge.from.expected.forEach((key, n) -> {
            if (edge.from.kind != Kind.SPLIT || key % 1_000_000 % 2 == edge.fromPort) {
                flow.put(key, n * times * receivers);
            }
        });
        return flow;
    }

    private void verify(Node sink) {
        Map<Long, Long> seen = new TreeMap<>();
        for (List<SimulatedOperators.Row> rows : collected.get(sink.id)) {
            Map<Long, Long> lastOfPath = new TreeMap<>();
            for (SimulatedOperators.Row row : rows) {
                seen.merge(row.source() * 1_000_000L + row.time(), 1L, Long::sum);
                Long last = lastOfPath.put(row.path(), row.time());
                if (last != null && last > row.time()) {
                    throw new AssertionError(sink.id + ": time " + row.time() + " after " + last + " on path " + row.path());
                }
            }
        }
        if (!seen.equals(sink.expected)) {
            throw new AssertionError(sink.id + ": saw " + difference(seen, sink.expected));
        }
    }

    private static String difference(Map<Long, Long> seen, Map<Long, Long> expected) {
        for (long key : expected.keySet()) {
            if (!expected.get(key).equals(seen.get(key))) {
                return seen.size() + " packets, expected " + expected.size() + "; packet " + key + " " + seen.get(key)
                        + " times, expected " + expected.get(key);
            }
        }
        return seen.size() + " packets, expected " + expected.size();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Node node : nodes) {
            text.append(node.id).append(" x").append(node.parallelism).append(" at ")
                    .append(java.util.Arrays.toString(node.place)).append(" blocking ").append(node.blocking).append(" ")
                    .append(node.schedule)
                    .append(node.fusedBehind == null ? "" : " fused").append('\n');
            node.out.forEach(e -> text.append("  ").append(e.name()).append(' ').append(e.partition).append(' ')
                    .append(e.buffer).append('\n'));
        }
        return text.append(settings).toString();
    }
}
