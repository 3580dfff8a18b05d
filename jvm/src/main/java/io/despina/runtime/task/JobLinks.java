package io.despina.runtime.task;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.link.ChannelSpec;
import io.despina.link.Inbox;
import io.despina.link.LinkSpec;
import io.despina.link.OutLink;
import io.despina.link.PortOutput;
import io.despina.link.PortOutputs;
import io.despina.link.PortSettings;
import io.despina.link.QueueBounds;
import io.despina.metrics.LinkCounters;
import io.despina.metrics.LinkSnapshot;
import io.despina.metrics.QueueSnapshot;
import io.despina.packet.Schema;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.worker.Worker;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.wire.FailureListener;
import io.despina.wire.Network;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * One job's links in one resource, over its memory and its network: creates the channel ends and the ports of the job's tasks.
 * Called by one thread at a time, except {@link #counters}, {@link #queues} and {@link #waiting}.
 */
public final class JobLinks implements AutoCloseable {

    /**
     * What the links of all jobs of a resource share.
     *
     * @param network null if no other resource is to be reached
     * @param clock   nanoseconds
     */
    public record Shared(SegmentPool pool, Network network, LongSupplier clock) {
    }

    private record Named(String link, LinkCounters counters, List<ChannelSender> senders) {
    }

    private final Shared shared;
    private final Attempt attempt;
    private final Consumer<String> failure;
    private final Budget.Reservation reservation;
    /** Channel ends of this job in this resource. */
    private final int ends;
    private final Map<Integer, Inbox> local = new HashMap<>();
    private final List<Named> counters = new CopyOnWriteArrayList<>();

    /**
     * @param failure called, from any thread, when a channel breaks
     * @throws io.despina.buffer.BudgetException if the channels' minima do not fit into the resource's memory
     */
    public JobLinks(Shared shared, Attempt attempt, List<TaskSpec> tasks, Consumer<String> failure) {
        this.shared = shared;
        this.attempt = attempt;
        this.failure = failure;
        long minima = 0;
        int maxPacketBytes = 0;
        int count = 0;
        Set<Integer> ranks = new HashSet<>();
        for (TaskSpec task : tasks) {
            for (ChannelSpec in : arriving(task)) {
                minima += in.remote() ? options(in.buffer(), CompressionSpec.DEFAULT, task.settings(), 1, 0).receiverMinimum()
                        : ChannelOptions.localMinimum();
                count++;
                if (in.remote()) {
                    ranks.add(in.rank() + 1);
                }
            }
            leaving(task).forEach(out -> ranks.add(out.rank()));
            task.stages().stream().flatMap(stage -> stage.fused().stream()).forEach(way -> ranks.add(way.rank()));
            long remotes = leaving(task).stream().filter(ChannelSpec::remote).count();
            minima += remotes * ChannelOptions.senderMinimum();
            count += (int) remotes;
            maxPacketBytes = count > 0 ? Math.max(maxPacketBytes, task.settings().maxPacketBytes()) : maxPacketBytes;
        }
        ends = Math.max(1, count);
        reservation = shared.pool().budget().reserve(attempt.toString(), minima, maxPacketBytes, ranks.size());
    }

    private static List<ChannelSpec> arriving(TaskSpec task) {
        return task.inputs().stream().flatMap(input -> input.channels().stream()).toList();
    }

    private static List<ChannelSpec> leaving(TaskSpec task) {
        return task.outputs().stream().flatMap(port -> port.links().stream())
                .flatMap(link -> link.channels().stream()).toList();
    }

    private ChannelOptions options(BufferSpec buffer, CompressionSpec compression, TaskSettings settings, int sharers,
                                   int rank) {
        QueueBounds bounds = QueueBounds.derive(shared.pool().budget().floating(), sharers, buffer.capacityBytes());
        return new ChannelOptions(buffer, bounds, compression, settings.queueTargetNanos(), settings.maxPacketBytes(),
                rank);
    }

    /** The receiving end of a channel to a task at {@code home}; created when the job is deployed, before anyone sends. */
    ChannelReceiver receiver(ChannelSpec channel, TaskSettings settings, Worker home) {
        ChannelOptions options = options(channel.buffer(), CompressionSpec.DEFAULT, settings, ends, channel.rank() + 1);
        if (channel.remote()) {
            return network(channel).receiver(new ChannelId(attempt, channel.id()), options, listener(channel), home.io());
        }
        return local.computeIfAbsent(channel.id(),
                id -> new Inbox(options.bounds(), options.queueTargetNanos(), shared.clock()));
    }

    /** The links of a port begin at one operator. */
    private static int rank(PortSpec port) {
        return port.links().get(0).channels().get(0).rank();
    }

    private FailureListener listener(ChannelSpec channel) {
        return (id, reason) -> failure.accept(id + " (" + channel.link() + "): " + reason);
    }

    private Network network(ChannelSpec channel) {
        if (shared.network() == null) {
            throw new IllegalStateException("link " + channel.link()
                    + " leads to another resource, and this one listens on no port");
        }
        return shared.network();
    }

    /** An output port of a task at {@code home}; created when the job starts, when every resource has its receivers. */
    PortOutput output(PortSpec port, TaskSettings settings, Worker home) {
        List<OutLink> links = new ArrayList<>();
        for (LinkSpec link : port.links()) {
            LinkCounters counted = new LinkCounters(link.channels().size());
            List<ChannelSender> senders = new ArrayList<>();
            for (int k = 0; k < link.channels().size(); k++) {
                ChannelSpec channel = link.channels().get(k);
                if (channel.remote()) {
                    ChannelOptions options = options(link.buffer(), link.compression(), settings, ends,
                            channel.rank());
                    senders.add(network(channel).sender(new ChannelId(attempt, channel.id()),
                            new Network.To(channel.host(), channel.port(), home.io()), options, counted.wire(k),
                            listener(channel)));
                } else {
                    senders.add(local(channel));
                }
            }
            counters.add(new Named(link.name(), counted, List.copyOf(senders)));
            links.add(new OutLink(link, senders, counted));
        }
        return PortOutputs.create(port.schema().layout(), links, port(rank(port), settings));
    }

    private ChannelSender local(ChannelSpec channel) {
        Inbox inbox = local.get(channel.id());
        if (inbox == null) {
            throw new IllegalArgumentException("local channel " + channel.id() + " of " + channel.link()
                    + " ends in no task here");
        }
        return inbox;
    }

    /** The resource's memory, which the state of its tasks counts against. */
    Budget budget() {
        return shared.pool().budget();
    }

    /** A port that is not linked: what is written is counted and dropped. */
    PortOutput unlinked(Schema schema, TaskSettings settings) {
        return PortOutputs.create(schema.layout(), List.of(), port(0, settings));
    }

    /** For ports whose packets have that rank. */
    PortSettings port(int rank, TaskSettings settings) {
        SegmentPool pool = shared.pool();
        return new PortSettings(pool, settings.maxPacketBytes(), shared.clock(), pool.overdraft().rank(rank));
    }

    /** By the link's name: what the channels that begin here have counted. Any thread may ask. */
    public Map<String, LinkSnapshot> counters() {
        Map<String, LinkSnapshot> sums = new HashMap<>();
        for (Named one : counters) {
            sums.merge(one.link(), one.counters().snapshot(shared.clock().getAsLong()), LinkSnapshot::plus);
        }
        return sums;
    }

    /** By the link's name: the queues of the channels that begin here, as they are now. Any thread may ask. */
    public Map<String, QueueSnapshot> queues() {
        Map<String, QueueSnapshot> sums = new HashMap<>();
        for (Named one : counters) {
            QueueSnapshot own = new QueueSnapshot(1, 0, 0, 0);
            for (ChannelSender sender : one.senders()) {
                own = own.plus(QueueSnapshot.of(0, sender.queuedBytes(), sender.limit()));
            }
            sums.merge(one.link(), own, QueueSnapshot::plus);
        }
        return sums;
    }

    /** Links of which a task here waits for room now. Any thread may ask. */
    public Set<String> waiting() {
        return counters.stream().filter(one -> one.counters().paused.lasts()).map(Named::link).collect(Collectors.toSet());
    }

    /** @param done run once, from any thread, when everything that the tasks sent has arrived where it was sent to */
    public void whenSent(Runnable done) {
        if (shared.network() == null) {
            done.run();
        } else {
            shared.network().whenSent(attempt, done);
        }
    }

    /** Drops what is still to be sent. */
    public void abandon() {
        if (shared.network() != null) {
            shared.network().release(attempt);
        }
    }

    /** Called once, after every task has ended and closed its ends. */
    @Override
    public void close() {
        abandon();
        reservation.close();
    }
}
