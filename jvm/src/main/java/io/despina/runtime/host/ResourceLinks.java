package io.despina.runtime.host;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.link.ChannelSpec;
import io.despina.link.LinkSpec;
import io.despina.link.LocalChannel;
import io.despina.link.OutLink;
import io.despina.link.PortOutput;
import io.despina.link.PortOutputs;
import io.despina.link.PortSettings;
import io.despina.link.QueueBounds;
import io.despina.metrics.LinkCounters;
import io.despina.metrics.LinkSnapshot;
import io.despina.packet.Schema;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.task.JobLinks;
import io.despina.runtime.worker.Worker;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A job's links over this resource's memory and network. Called by one thread at a time, but for {@link #counters}. */
public final class ResourceLinks implements JobLinks {

    private record Shared(SegmentPool pool, Network network, LongSupplier clock) implements Factory {
        @Override
        public JobLinks open(Attempt attempt, List<TaskSpec> tasks, Consumer<String> failure) {
            return new ResourceLinks(this, attempt, tasks, failure);
        }
    }

    private record Named(String link, LinkCounters counters, List<ChannelSender> senders) {
    }

    private final Shared shared;
    private final Attempt attempt;
    private final Consumer<String> failure;
    private final Budget.Reservation reservation;
    /** Channel ends of this job in this resource. */
    private final int ends;
    private final Map<Integer, LocalChannel> local = new HashMap<>();
    private final List<Named> counters = new CopyOnWriteArrayList<>();

    private ResourceLinks(Shared shared, Attempt attempt, List<TaskSpec> tasks, Consumer<String> failure) {
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
            task.stages().stream().filter(s -> s.fused() != null).forEach(s -> ranks.add(s.fused().rank()));
            long remotes = leaving(task).stream().filter(ChannelSpec::remote).count();
            minima += remotes * ChannelOptions.senderMinimum();
            count += (int) remotes;
            maxPacketBytes = count > 0 ? Math.max(maxPacketBytes, task.settings().maxPacketBytes()) : maxPacketBytes;
        }
        ends = Math.max(1, count);
        reservation = shared.pool().budget().reserve(attempt.toString(), minima, maxPacketBytes, ranks.size());
    }

    /**
     * The links of all jobs of one resource.
     *
     * @param network null if no other resource is to be reached
     * @param clock   nanoseconds
     */
    public static JobLinks.Factory over(SegmentPool pool, Network network, LongSupplier clock) {
        return new Shared(pool, network, clock);
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

    @Override
    public ChannelReceiver receiver(ChannelSpec channel, TaskSettings settings, Worker home) {
        ChannelOptions options = options(channel.buffer(), CompressionSpec.DEFAULT, settings, ends, channel.rank() + 1);
        if (channel.remote()) {
            return network(channel).receiver(new ChannelId(attempt, channel.id()), options, end(channel, home));
        }
        return local.computeIfAbsent(channel.id(), id -> LocalChannel.create(options, shared.clock())).receiver();
    }

    /** The links of a port begin at one operator. */
    private static int rank(PortSpec port) {
        return port.links().get(0).channels().get(0).rank();
    }

    private Network.End end(ChannelSpec channel, Worker home) {
        return new Network.End((id, reason) -> failure.accept(id + " (" + channel.link() + "): " + reason), home.io());
    }

    private Network network(ChannelSpec channel) {
        if (shared.network() == null) {
            throw new IllegalStateException("link " + channel.link()
                    + " leads to another resource, and this one listens on no port");
        }
        return shared.network();
    }

    @Override
    public PortOutput output(PortSpec port, TaskSettings settings, Worker home) {
        List<OutLink> links = new ArrayList<>();
        for (LinkSpec link : port.links()) {
            LinkCounters counted = new LinkCounters(link.channels().size());
            List<ChannelSender> senders = new ArrayList<>();
            for (int k = 0; k < link.channels().size(); k++) {
                ChannelSpec channel = link.channels().get(k);
                if (channel.remote()) {
                    ChannelOptions options = options(link.buffer(), link.compression(), settings, ends,
                            channel.rank());
                    senders.add(network(channel).sender(new ChannelId(attempt, channel.id()), channel, options, counted.wire(k),
                            end(channel, home)));
                } else {
                    senders.add(local(channel));
                }
            }
            counters.add(new Named(link.name(), counted, List.copyOf(senders)));
            links.add(new OutLink(link, senders, counted));
        }
        return PortOutputs.create(port.schema().layout(), links, fused(rank(port), settings));
    }

    private ChannelSender local(ChannelSpec channel) {
        LocalChannel both = local.get(channel.id());
        if (both == null) {
            throw new IllegalArgumentException("local channel " + channel.id() + " of " + channel.link()
                    + " ends in no task here");
        }
        return both.sender();
    }

    @Override
    public Budget budget() {
        return shared.pool().budget();
    }

    @Override
    public PortOutput unlinked(Schema schema, TaskSettings settings) {
        return PortOutputs.create(schema.layout(), List.of(), fused(0, settings));
    }

    @Override
    public PortSettings fused(int rank, TaskSettings settings) {
        SegmentPool pool = shared.pool();
        return new PortSettings(pool, settings.maxPacketBytes(), shared.clock(), pool.overdraft().rank(rank));
    }

    @Override
    public Map<String, LinkSnapshot> counters() {
        Map<String, LinkSnapshot> sums = new HashMap<>();
        for (Named one : counters) {
            sums.merge(one.link(), one.counters().snapshot(), LinkSnapshot::plus);
        }
        return sums;
    }

    @Override
    public Map<String, Long> queuedBytes() {
        Map<String, Long> sums = new HashMap<>();
        for (Named one : counters) {
            sums.merge(one.link(), one.senders().stream().mapToLong(ChannelSender::queuedBytes).sum(), Long::sum);
        }
        return sums;
    }

    @Override
    public void whenSent(Runnable done) {
        if (shared.network() == null) {
            done.run();
        } else {
            shared.network().whenSent(attempt, done);
        }
    }

    @Override
    public void abandon() {
        if (shared.network() != null) {
            shared.network().release(attempt);
        }
    }

    @Override
    public void close() {
        abandon();
        reservation.close();
    }
}
