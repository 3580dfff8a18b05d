package io.despina.control.assembly;

import io.despina.catalogue.Halves;
import io.despina.link.ChannelSpec;
import io.despina.link.LinkSpec;
import io.despina.operator.Operator;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.placement.Assignment;
import io.despina.plan.Plan;
import io.despina.plan.PlannedChain;
import io.despina.plan.PlannedLink;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import io.despina.plan.Settings;
import io.despina.runtime.deployment.InputSpec;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.spec.Blocking;
import io.despina.spec.BucketMap;
import io.despina.spec.BucketMaps;
import io.despina.spec.OnError;
import io.despina.spec.Partition;
import io.despina.spec.Schedule;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Turns a plan and its assignment into the tasks of one resource.
 *
 * <p>If the streams of a port differ in column order or nullability, the packets of such a link pass through an aligning task
 * first. Each receiver has one on its side, which sends the packets on through a local channel.
 *
 * <p>The part of a divided operator that runs before a link is the stage behind the link's sender, in its tasks.
 */
public final class TaskSpecs {

    /** Makes operator instances, and other instances of the user's classes. */
    public interface Operators {
        Supplier<? extends Operator> supplier(PlannedOperator operator);

        /** These tasks are all that are here; before any operator is made. */
        default void host(List<TaskSpec> tasks) {
        }

        /** The parts of an operator that the plan divides. */
        Halves halves(PlannedOperator operator);

        /** The partition functions of a link, one for each sending task. */
        Supplier<ToIntFunction<Packet>> partition(String className, Schema packets);
    }

    /** The ending of names of aligning tasks, which reports omit. */
    static final String ALIGNED = " (aligned)";

    private final Plan plan;
    private final Assignment assignment;
    private final Map<String, InetSocketAddress> peers;
    private final Operators operators;
    private final TaskSettings settings;
    private final Ranks ranks;
    private final List<TaskSpec> specs = new ArrayList<>();
    /** By operator to which packets are dealt by keys. */
    private final Map<String, BucketMaps> buckets = new HashMap<>();

    /**
     * @param peers       every resource's data port
     * @param usualPacket the largest packet if the graph does not set one
     */
    public TaskSpecs(JobPlan planned, Map<String, InetSocketAddress> peers, Operators operators, int usualPacket) {
        plan = planned.plan();
        assignment = planned.assignment();
        this.peers = peers;
        this.operators = operators;
        ranks = new Ranks(plan);
        Settings s = plan.settings();
        settings = new TaskSettings(s.experiment().batchScheduling(), s.experiment().objectReuse(), s.queueTargetMs() * 1_000_000,
                s.maxPacketBytes() > 0 ? s.maxPacketBytes() : usualPacket);
    }

    /**
     * The tasks of that resource, including aligning tasks.
     *
     * @param before who had which bucket of an operator's keys in the state from which the job goes on; null if none had moved
     */
    public List<TaskSpec> of(String resource, Function<String, BucketMap> before) {
        plan.buckets().forEach((operator, start) -> buckets.put(operator,
                new BucketMaps(operator, start.goingOn(before.apply(operator)), plan.settings().keys().balance().isOn())));
        for (Assignment.Task task : assignment.tasksOf(resource)) {
            PlannedChain chain = assignment.chains().get(task.chain());
            PlannedOperator first = plan.operator(chain.id());
            List<InputSpec> inputs = inputs(task, first);
            specs.add(new TaskSpec(chain.id() + "-" + task.instance(), stages(task, chain), inputs, outputs(task, chain),
                    blocking(chain), first.schedule(), settings, buckets.get(first.id())));
        }
        operators.host(specs);
        return specs;
    }

    private Blocking blocking(PlannedChain chain) {
        return chain.operators().stream().map(id -> plan.operator(id).spec().blocking()).max(Comparator.naturalOrder())
                .orElseThrow();
    }

    private List<StageSpec> stages(Assignment.Task task, PlannedChain chain) {
        Map<String, Integer> places = places(chain);
        List<StageSpec> stages = new ArrayList<>();
        for (String id : chain.operators()) {
            PlannedOperator operator = plan.operator(id);
            StageSpec stage = plan.isDivided(operator) ? behind(task, operator) : whole(task, operator);
            for (PlannedLink link : plan.links()) {
                if (id.equals(link.from()) && id.equals(chain.before().get(link.to()))) {
                    stage = stage.fusedInto(new StageSpec.Fused(operator.outputIndex(link.fromPort()), places.get(link.to()),
                            link.name(), ranks.of(id)));
                }
            }
            String part = plan.partBehind(id).orElse(null);
            if (part == null) {
                stages.add(stage);
            } else {
                stages.add(stage.fusedInto(new StageSpec.Fused(operator.outputIndex("out"), stages.size() + 1, null,
                        ranks.of(id))));
                stages.add(before(task, plan.operator(part), chain.parallelism()));
            }
        }
        return stages;
    }

    /** By operator, the index of its stage. The part of a divided operator has the one behind its sender's. */
    private Map<String, Integer> places(PlannedChain chain) {
        Map<String, Integer> places = new HashMap<>();
        int next = 0;
        for (String id : chain.operators()) {
            places.put(id, next);
            next += plan.partBehind(id).isPresent() ? 2 : 1;
        }
        return places;
    }

    private StageSpec whole(Assignment.Task task, PlannedOperator operator) {
        return new StageSpec(operator.id(), task.instance(), operator.parallelism(), operators.supplier(operator),
                new StageSpec.Ports(schemas(operator.inputs()), schemas(operator.outputs()), operator.outputIndex("errors")),
                operator.onError(), List.of(), StageSpec.Role.WHOLE);
    }

    /** The part of a divided operator that has its state. */
    private StageSpec behind(Assignment.Task task, PlannedOperator operator) {
        Halves halves = operators.halves(operator);
        return new StageSpec(operator.id(), task.instance(), operator.parallelism(), halves.behind(),
                new StageSpec.Ports(List.of(halves.between()), schemas(operator.outputs()), operator.outputIndex("errors")),
                operator.onError(), List.of(), StageSpec.Role.MERGING);
    }

    /** The part of a divided operator in a task that sends to it. */
    private StageSpec before(Assignment.Task task, PlannedOperator operator, int parallelism) {
        Halves halves = operators.halves(operator);
        return new StageSpec(operator.id(), task.instance(), parallelism, halves.before(),
                new StageSpec.Ports(schemas(operator.inputs()), List.of(halves.between())), operator.onError(), List.of(),
                StageSpec.Role.PARTIAL);
    }

    private List<InputSpec> inputs(Assignment.Task task, PlannedOperator first) {
        List<InputSpec> inputs = new ArrayList<>();
        for (int port = 0; port < first.inputs().size(); port++) {
            List<ChannelSpec> channels = new ArrayList<>();
            for (PlannedLink link : plan.linksInto(first.id(), first.inputs().get(port).name())) {
                List<ChannelSpec> arriving = assignment.channels().stream()
                        .filter(c -> c.receiver() == task.index() && c.link() == link.index()).map(this::channel).toList();
                channels.addAll(link.columns().isEmpty() ? arriving : List.of(aligned(task, link, arriving)));
            }
            if (!channels.isEmpty()) {
                inputs.add(new InputSpec(port, channels, first.spec().goesBy(port)));
            }
        }
        return inputs;
    }

    /** Adds a task that rewrites the link's packets for the receiving port; returns the channel out of it. */
    private ChannelSpec aligned(Assignment.Task receiver, PlannedLink link, List<ChannelSpec> arriving) {
        PlannedOperator sender = plan.operator(link.from());
        PlannedOperator target = plan.operator(link.to());
        Schema from = sender.outputs().get(sender.outputIndex(link.fromPort())).schema();
        Schema to = target.inputs().get(target.inputIndex(link.toPort())).schema();
        String id = link.name() + ALIGNED;
        int number = assignment.channels().size() + link.index() * assignment.tasks().size() + receiver.index();
        ChannelSpec channel = ChannelSpec.local(number, id).with(link.buffer()).ranked(ranks.ofAligned(link.from()));
        StageSpec stage = new StageSpec(id, receiver.instance(), target.parallelism(), () -> new AlignColumns(to, link.columns()),
                new StageSpec.Ports(List.of(from), List.of(to)), OnError.FAIL, List.of(), StageSpec.Role.WHOLE);
        LinkSpec out = new LinkSpec(id, new Partition.Forward(), link.buffer(), link.compression(), List.of(channel));
        specs.add(new TaskSpec(id + "-" + receiver.instance(), List.of(stage), List.of(new InputSpec(0, arriving)),
                List.of(new PortSpec(0, 0, to, List.of(out))), Blocking.NEVER, Schedule.DATA, settings));
        return channel;
    }

    private List<PortSpec> outputs(Assignment.Task task, PlannedChain chain) {
        List<PortSpec> outputs = new ArrayList<>();
        Map<String, Integer> places = places(chain);
        for (String id : chain.operators()) {
            int stage = places.get(id);
            PlannedOperator operator = plan.operator(id);
            for (int port = 0; port < operator.outputs().size(); port++) {
                PlannedPort out = operator.outputs().get(port);
                List<LinkSpec> links = plan.linksFrom(operator.id(), out.name()).stream()
                        .map(link -> link(task, link)).filter(l -> l != null).toList();
                if (!links.isEmpty() && out.name().equals("out") && plan.partBehind(operator.id()).isPresent()) {
                    Halves halves = operators.halves(plan.operator(plan.partBehind(operator.id()).get()));
                    outputs.add(new PortSpec(stage + 1, 0, halves.between(), links));
                } else if (!links.isEmpty()) {
                    outputs.add(new PortSpec(stage, port, out.schema(), links));
                }
            }
        }
        return outputs;
    }

    /** This task's end of a link; null if the link is within the chain. */
    private LinkSpec link(Assignment.Task task, PlannedLink link) {
        List<ChannelSpec> channels = assignment.channels().stream()
                .filter(c -> c.sender() == task.index() && c.link() == link.index())
                .sorted(Comparator.comparingInt(c -> assignment.tasks().get(c.receiver()).instance()))
                .map(this::channel).toList();
        if (channels.isEmpty()) {
            return null;
        }
        Partition partition = channels.size() == 1 ? new Partition.Forward() : link.partition();
        BucketMaps maps = buckets.get(link.to());
        if (partition instanceof Partition.RoundRobin) {
            partition = new Partition.RoundRobin(some(link, maps));
        } else if (partition instanceof Partition.LeastLoaded) {
            partition = new Partition.LeastLoaded(some(link, maps));
        } else if (partition instanceof Partition.Hash hash && plan.carriesParts(link)) {
            partition = new Partition.Hash(hash.by(), operators.halves(plan.operator(link.to())).dealing(), hash.buckets(),
                    maps);
        } else if (partition instanceof Partition.Hash hash) {
            hash.key().prepare();
            partition = new Partition.Hash(hash.by(), hash.key(), hash.buckets(), maps);
        } else if (partition instanceof Partition.Custom custom) {
            PlannedOperator sender = plan.operator(link.from());
            Schema packets = sender.outputs().get(sender.outputIndex(link.fromPort())).schema();
            partition = new Partition.Custom(custom.className(), operators.partition(custom.className(), packets));
        }
        return new LinkSpec(link.name(), partition, link.buffer(), link.compression(), channels);
    }

    /** Null if all instances of the receiver take part from the start, and for good. */
    private BucketMaps some(PlannedLink link, BucketMaps maps) {
        PlannedOperator.Instances of = plan.operator(link.to()).instances();
        return of.start() < of.most() ? maps : null;
    }

    private ChannelSpec channel(Assignment.Channel channel) {
        PlannedLink link = plan.links().get(channel.link());
        if (!channel.remote()) {
            return ChannelSpec.local(channel.index(), link.name()).with(link.buffer()).ranked(ranks.of(link));
        }
        String sender = assignment.tasks().get(channel.sender()).resource();
        String receiver = assignment.tasks().get(channel.receiver()).resource();
        InetSocketAddress to = peers.get(receiver);
        return ChannelSpec.remote(channel.index(), link.name() + ", from " + sender + " to " + receiver, to.getHostString(),
                to.getPort()).with(link.buffer()).ranked(ranks.of(link));
    }

    private static List<Schema> schemas(List<PlannedPort> ports) {
        return ports.stream().map(PlannedPort::schema).toList();
    }
}
