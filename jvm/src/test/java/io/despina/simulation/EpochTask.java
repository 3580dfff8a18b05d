package io.despina.simulation;

import io.despina.simulation.MarkedTarget.Output;
import io.despina.simulation.MarkedTarget.Part;
import io.despina.snapshot.EpochChain;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.FolderPaths;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.RestoredStates;
import io.despina.state.NamedEntries;
import io.despina.state.Share;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * What a resource hosts of an attempt: a source that counts in each of its partitions, and a sink that sums up what all sources
 * send it, with a barrier in each channel. Only their states, files and commits are those of production.
 */
final class EpochTask {
    static final int PARTITIONS = 3;
    private static final int BUCKETS = 256;
    private static final long PAUSE = 150 * EpochWorld.MILLI;

    /** What travels in a channel. */
    sealed interface Item {
    }

    record Number(int partition, long number) implements Item {
    }

    record InBand(long epoch) implements Item {
    }

    record End() implements Item {
    }

    /** The rows of an epoch that are not known to be visible, by who wrote them. */
    record Key(long epoch, int instance) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return epoch != other.epoch ? Long.compare(epoch, other.epoch) : Integer.compare(instance, other.instance);
        }
    }

    private final EpochResource host;
    private final EpochResource.Deploy deploy;
    private final Map<Integer, Long> next = new TreeMap<>();
    private final Map<Integer, Long> sums = new TreeMap<>();
    private final TreeMap<Key, List<Output>> pending = new TreeMap<>();
    /** The last epoch of which its sink has shown rows. */
    private long shown;
    private final List<Deque<Item>> channels = new ArrayList<>();
    private final boolean[] over;
    private final Map<Long, EpochFile> files = new HashMap<>();
    private final EpochChain chain = new EpochChain();
    private final Map<Long, Integer> frozenParts = new HashMap<>();
    private List<Output> written = new ArrayList<>();
    private boolean sourceEnded;
    private boolean settled;
    private long asked;
    private long acted;
    private final NamedEntries place = new NamedEntries("place", () -> texts(next, UnaryOperator.identity()));
    private final NamedEntries summed = new NamedEntries("sums", () -> texts(sums, UnaryOperator.identity()));
    private final NamedEntries committing = new NamedEntries("sink_epochs", this::committingTexts);
    private final NamedEntries outbox = new NamedEntries("outbox", this::outboxTexts);

    EpochTask(EpochResource host, EpochResource.Deploy deploy) {
        this.host = host;
        this.deploy = deploy;
        over = new boolean[deploy.members().size()];
        deploy.members().forEach(each -> channels.add(new ArrayDeque<>()));
        for (int p = 0; p < PARTITIONS; p++) {
            if (p % parallelism() == deploy.instance()) {
                next.put(p, 0L);
            }
        }
    }

    private int parallelism() {
        return over.length;
    }

    int attempt() {
        return deploy.attempt();
    }

    private static Map<String, String> texts(Map<Integer, Long> numbers, UnaryOperator<String> each) {
        return numbers.entrySet().stream().collect(Collectors.toMap(e -> Integer.toString(e.getKey()),
                e -> each.apply(Long.toString(e.getValue()))));
    }

    private Map<String, String> outboxTexts() {
        return pending.entrySet().stream().collect(Collectors.toMap(e -> e.getKey().epoch + "." + e.getKey().instance,
                e -> e.getValue().stream().map(row -> row.partition() + ":" + row.number() + ":" + row.sum())
                        .collect(Collectors.joining(","))));
    }

    /** As a sink of production says it. */
    private Map<String, String> committingTexts() {
        return Map.of("shown", Long.toString(shown),
                "shows", pending.entrySet().stream().filter(each -> !each.getValue().isEmpty())
                        .map(each -> Long.toString(each.getKey().epoch)).distinct().collect(Collectors.joining(" ")));
    }

    /** Goes on from an epoch. What was not committed of it is committed when that is told again. */
    void restore(RestoredStates states, boolean committed) throws IOException {
        Share share = new Share(deploy.instance(), parallelism(), BUCKETS);
        share.restore(List.of(place), states.of("source"));
        share.restore(List.of(summed, outbox, committing), states.of("sink"));
        for (Map<String, String> each : place.restored()) {
            each.forEach((p, number) -> next.computeIfPresent(Integer.parseInt(p), (k, any) -> Long.parseLong(number)));
        }
        for (Map<String, String> each : summed.restored()) {
            each.forEach((p, sum) -> sums.put(Integer.parseInt(p), Long.parseLong(sum)));
        }
        sums.keySet().removeIf(p -> sinkOf(p) != deploy.instance());
        for (Map<String, String> each : outbox.restored()) {
            each.forEach((key, rows) -> take(key.split("\\."), rows));
        }
        committing.restored().forEach(each -> shown = Math.max(shown, Long.parseLong(each.getOrDefault("shown", "0"))));
        if (committed) {
            committed(deploy.from());
        }
    }

    private void take(String[] key, String rows) {
        int instance = Integer.parseInt(key[1]);
        if (instance % parallelism() == deploy.instance()) {
            pending.put(new Key(Long.parseLong(key[0]), instance), Arrays.stream(rows.split(",")).filter(text -> !text.isEmpty())
                    .map(text -> text.split(":")).map(text -> new Output(Integer.parseInt(text[0]), Long.parseLong(text[1]),
                            Long.parseLong(text[2]))).toList());
        }
    }

    private int sinkOf(int partition) {
        return (partition + 1) % parallelism();
    }

    void start() {
        host.world.later(host, host.world.random.nextLong(PAUSE), this::produce);
    }

    private boolean isOver() {
        return host.task() != this;
    }

    private void produce() {
        if (isOver() || sourceEnded) {
            return;
        }
        List<Integer> open = next.keySet().stream().filter(p -> next.get(p) < host.rowsOf(p)).toList();
        if (open.isEmpty()) {
            sourceEnded = true;
            host.world.swarm.met(Mark.END_BETWEEN_BARRIERS);
            deploy.members().forEach(each -> send(each, new End()));
            return;
        }
        int partition = open.get(host.world.random.nextInt(open.size()));
        for (int k = host.world.random.nextInt(4); k > 0 && next.get(partition) < host.rowsOf(partition); k--) {
            long number = next.get(partition);
            next.put(partition, number + 1);
            host.sent(partition, number);
            send(deploy.members().get(sinkOf(partition)), new Number(partition, number));
        }
        boolean idle = host.world.swarm.strikes(Mark.IDLE_SOURCE_AT_BARRIER, 30);
        host.world.later(host, idle ? 20 * PAUSE : host.world.random.nextLong(PAUSE), this::produce);
    }

    private void send(EpochResource to, Item item) {
        host.world.send(host, to, "data" + attempt(), () -> to.arrived(attempt(), deploy.instance(), item));
    }

    /** Something has arrived in a channel. */
    void arrived(int from, Item item) {
        channels.get(from).add(item);
        drain();
    }

    private void drain() {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int c = 0; c < channels.size(); c++) {
                Item first = channels.get(c).peek();
                if (first != null && !(first instanceof InBand)) {
                    channels.get(c).remove();
                    process(c, first);
                    moved = true;
                }
            }
            long aligned = aligned();
            if (aligned > 0) {
                channels.forEach(channel -> {
                    if (channel.peek() instanceof InBand) {
                        channel.remove();
                    }
                });
                act(aligned);
                moved = true;
            }
        }
        if (allOver() && !settled) {
            settled = true;
            if (asked > acted) {
                act(asked);
            }
            host.tell(coordinator -> coordinator.settled(host, attempt()));
        }
    }

    private boolean allOver() {
        for (boolean each : over) {
            if (!each) {
                return false;
            }
        }
        return true;
    }

    /** The epoch whose barrier is at the head of every channel that is not over, or 0. */
    private long aligned() {
        long epoch = 0;
        for (int c = 0; c < channels.size(); c++) {
            if (!over[c] && !(channels.get(c).peek() instanceof InBand)) {
                return 0;
            }
            if (channels.get(c).peek() instanceof InBand barrier) {
                epoch = barrier.epoch;
            }
        }
        return epoch;
    }

    private void process(int channel, Item item) {
        if (item instanceof Number row) {
            long sum = sums.merge(row.partition, row.number, Long::sum);
            written.add(new Output(row.partition, row.number, sum));
        } else {
            over[channel] = true;
        }
    }

    /** A barrier was asked for. */
    void barrier(long epoch) {
        asked = epoch;
        freeze(epoch, "source", List.of(place));
        if (!sourceEnded) {
            deploy.members().forEach(each -> send(each, new InBand(epoch)));
        }
        if (settled && acted < epoch) {     // the barrier of another may have been faster
            host.world.swarm.met(Mark.ALL_ENDED);
            act(epoch);
        }
    }

    private void act(long epoch) {
        acted = epoch;
        if (asked < epoch) {
            host.world.swarm.met(Mark.MESSAGE_OVERTAKEN);
        }
        if (written.isEmpty()) {
            host.world.swarm.met(Mark.EMPTY_EPOCH);
        }
        pending.put(new Key(epoch, deploy.instance()), written);
        written = new ArrayList<>();
        if (host.prepares(this, epoch)) {
            freeze(epoch, "sink", List.of(summed, outbox, committing));
        }
    }

    private void freeze(long epoch, String operator, List<NamedEntries> states) {
        EpochFile file = files.computeIfAbsent(epoch, any -> new EpochFile(deploy.folder().store(),
                new FolderPaths(EpochCoordinator.GRAPH).data(attempt(), epoch, host.place()),
                work -> host.world.soon(host, work), chain.begin(epoch)));
        InstanceSnapshot snapshot = file.begin(operator, deploy.instance(), states, () -> { });
        try {
            while (snapshot.write() == InstanceSnapshot.SliceResult.WORKED) {
                continue;
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        if (frozenParts.merge(epoch, 1, Integer::sum) == 2) {
            file.finish().whenComplete((all, failed) -> {
                if (failed == null) {
                    chain.durable(epoch, all);
                }
                host.frozen(this, epoch, all, failed);
            });
        }
    }

    void drop(long epoch) {
        EpochFile file = files.remove(epoch);
        if (file != null) {
            file.close();
        }
    }

    /** What is to be committed with an epoch: its own rows, and those of epochs before it that never were complete. */
    List<Part> upTo(long epoch) {
        return pending.headMap(new Key(epoch, Integer.MAX_VALUE), true).entrySet().stream()
                .map(each -> new Part(deploy.id(), each.getKey().instance, each.getKey().epoch, each.getValue())).toList();
    }

    void committed(long epoch) {
        Map<Key, List<Output>> done = pending.headMap(new Key(epoch, Integer.MAX_VALUE), true);
        done.forEach((key, rows) -> shown = rows.isEmpty() ? shown : Math.max(shown, key.epoch));
        done.clear();
    }

    void end() {
        files.values().forEach(EpochFile::close);
    }
}
