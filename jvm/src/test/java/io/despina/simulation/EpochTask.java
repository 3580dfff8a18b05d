package io.despina.simulation;

import io.despina.simulation.MarkedTarget.Lateness;
import io.despina.simulation.MarkedTarget.Output;
import io.despina.simulation.MarkedTarget.Part;
import io.despina.snapshot.EpochChain;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.FolderPaths;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.RestoredStates;
import io.despina.state.NamedEntries;
import io.despina.state.NamedNumbers;
import io.despina.state.Share;
import io.despina.state.State;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a resource hosts of an attempt: a source that counts in each of its partitions, and a sink that sums up what all sources
 * send it, with a barrier in each channel, and tells which rows are late. A channel has room for a few rows. Only their states,
 * files and commits are those of production.
 */
final class EpochTask {
    static final int PARTITIONS = 3;
    private static final int BUCKETS = 256;
    private static final long PAUSE = 150 * EpochWorld.MILLI;
    /** How many rows a channel holds, on their way or in its queue. */
    private static final int ROOM = 6;

    /** What travels in a channel. */
    sealed interface Item {
    }

    /** @param watermark of its source behind it */
    record Number(int partition, long number, long watermark, Load channel) implements Item {
    }

    /** @param watermark of its source */
    record InBand(long epoch, long watermark) implements Item {
    }

    record End() implements Item {
    }

    /** The rows of one channel that its sink has not taken. */
    static final class Load {
        private int rows;
    }

    /** What a sink has made of the rows of a partition. */
    private record Sum(long numbers, long clock, long late) {
        static final Sum NONE = new Sum(0, RowTimes.NONE, 0);

        static Sum of(String text) {
            String[] parts = text.split(":");
            return new Sum(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
        }

        Sum with(long number, long time) {
            return new Sum(numbers + number, RowTimes.later(clock, time), late + (RowTimes.isLate(clock, time) ? 1 : 0));
        }

        @Override
        public String toString() {
            return numbers + ":" + clock + ":" + late;
        }
    }

    /** How far a source has come in a partition. */
    private record Place(long next, long clock) {
        static final Place NONE = new Place(0, RowTimes.NONE);

        static Place of(String text) {
            String[] parts = text.split(":");
            return new Place(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
        }

        @Override
        public String toString() {
            return next + ":" + clock;
        }
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
    private final Map<Integer, Place> next = new TreeMap<>();
    private final Map<Integer, Sum> sums = new TreeMap<>();
    /** Partitions of which it has taken a row since it began. */
    private final Set<Integer> begun = new HashSet<>();
    private final ChannelWatermarks watermark;
    private final List<Load> loads = new ArrayList<>();
    private final TreeMap<Key, List<Output>> pending = new TreeMap<>();
    /** The last epoch of which its sink has shown rows. */
    private long shown;
    private final List<Deque<Item>> channels = new ArrayList<>();
    private final boolean[] over;
    private final Map<Long, EpochFile> files = new HashMap<>();
    private final EpochChain chain = new EpochChain();
    /** By operator. */
    private final Map<String, Writing> writing = new HashMap<>();
    private final Map<Long, Integer> frozenParts = new HashMap<>();
    private List<Output> written = new ArrayList<>();
    private boolean sourceEnded;
    private boolean settled;
    private long asked;
    private long acted;
    private final NamedEntries place = new NamedEntries("place", () -> texts(next));
    private final NamedEntries summed = new NamedEntries("sums", () -> texts(sums));
    /** A fourth state of the sink: it has more than a snapshot has buffers to write them in at once. */
    private final NamedNumbers reached = new NamedNumbers("reached", RowTimes.NONE);
    private final SeenRows seen = new SeenRows();
    private final NamedEntries committing = new NamedEntries("sink_epochs", this::committingTexts);
    private final NamedEntries outbox = new NamedEntries("outbox", this::outboxTexts);

    EpochTask(EpochResource host, EpochResource.Deploy deploy) {
        this.host = host;
        this.deploy = deploy;
        over = new boolean[deploy.members().size()];
        watermark = new ChannelWatermarks(over.length);
        deploy.members().forEach(each -> {
            channels.add(new ArrayDeque<>());
            loads.add(new Load());
        });
        for (int p = 0; p < PARTITIONS; p++) {
            if (p % parallelism() == deploy.instance()) {
                next.put(p, Place.NONE);
            }
        }
    }

    private int parallelism() {
        return over.length;
    }

    int attempt() {
        return deploy.attempt();
    }

    private static Map<String, String> texts(Map<Integer, ?> values) {
        return values.entrySet().stream().collect(Collectors.toMap(e -> Integer.toString(e.getKey()),
                e -> e.getValue().toString()));
    }

    private Map<String, String> outboxTexts() {
        return pending.entrySet().stream().collect(Collectors.toMap(e -> e.getKey().epoch + "." + e.getKey().instance,
                e -> e.getValue().stream().map(row -> row.partition() + ":" + row.number() + ":" + row.sum() + ":"
                        + row.lateness().isLate() + ":" + row.lateness().count()).collect(Collectors.joining(","))));
    }

    /** As a sink of production says it. */
    private Map<String, String> committingTexts() {
        return Map.of("shown", Long.toString(shown),
                "shows", pending.entrySet().stream().filter(each -> !each.getValue().isEmpty())
                        .map(each -> Long.toString(each.getKey().epoch)).distinct().collect(Collectors.joining(" ")));
    }

    private List<State> sinkStates() {
        List<State> own = List.of(summed, outbox, committing, reached);
        return host.keepsAll() ? Stream.concat(own.stream(), seen.states().stream()).toList() : own;
    }

    /** Goes on from an epoch. What was not committed of it is committed when that is told again. */
    void restore(RestoredStates states, boolean committed) throws IOException {
        Share share = new Share(deploy.instance(), parallelism(), BUCKETS);
        share.restore(List.of(place), states.of("source"));
        share.restore(sinkStates(), states.of("sink"));
        for (Map<String, String> each : place.restored()) {
            each.forEach((p, text) -> next.computeIfPresent(Integer.parseInt(p), (k, any) -> Place.of(text)));
        }
        for (Map<String, String> each : summed.restored()) {
            each.forEach((p, text) -> sums.put(Integer.parseInt(p), Sum.of(text)));
        }
        watermark.restored(reached.get(0));
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
                            Long.parseLong(text[2]), new Lateness(Boolean.parseBoolean(text[3]), Long.parseLong(text[4]))))
                    .toList());
        }
    }

    private int sinkOf(int partition) {
        return SeenRows.owner(partition, parallelism());
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
        List<Integer> open = open();
        if (open.isEmpty()) {
            sourceEnded = true;
            host.world.swarm.met(Mark.END_BETWEEN_BARRIERS);
            deploy.members().forEach(each -> send(each, new End()));
            return;
        }
        int partition = open.get(host.world.random.nextInt(open.size()));
        for (int k = host.world.random.nextInt(4); k > 0 && next.get(partition).next < host.rowsOf(partition); k--) {
            if (!produce(partition)) {
                host.world.swarm.met(Mark.CHANNEL_FULL);
                break;
            }
        }
        boolean idle = host.world.swarm.strikes(Mark.IDLE_SOURCE_AT_BARRIER, 30);
        host.world.later(host, idle ? 20 * PAUSE : host.world.random.nextLong(PAUSE), this::produce);
    }

    private List<Integer> open() {
        return next.keySet().stream().filter(p -> next.get(p).next < host.rowsOf(p)).toList();
    }

    /** Sends the next row of a partition. @return false if there is no room for it */
    private boolean produce(int partition) {
        Load channel = loads.get(sinkOf(partition));
        if (channel.rows == ROOM) {
            return false;
        }
        channel.rows++;
        Place at = next.get(partition);
        next.put(partition, new Place(at.next + 1, RowTimes.later(at.clock, RowTimes.of(partition, at.next))));
        host.sent(partition, at.next);
        send(deploy.members().get(sinkOf(partition)), new Number(partition, at.next, ofSource(), channel));
        return true;
    }

    /** Behind which none of its source's rows is in time. */
    private long ofSource() {
        return open().stream().mapToLong(p -> RowTimes.watermark(next.get(p).clock)).min().orElse(RowTimes.END);
    }

    private void send(EpochResource to, Item item) {
        host.world.send(host, to, "data" + attempt(), () -> to.arrived(attempt(), deploy.instance(), item));
    }

    /** Something has arrived in a channel. */
    void arrived(int from, Item item) {
        channels.get(from).add(item);
        if (channels.get(from).stream().filter(Number.class::isInstance).count() > ROOM) {
            throw new AssertionError("a channel has more rows than it has room for: " + channels.get(from));
        }
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
                for (int c = 0; c < channels.size(); c++) {
                    if (channels.get(c).peek() instanceof InBand barrier) {
                        channels.get(c).remove();
                        watermark.of(c, barrier.watermark);
                    }
                }
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
            row.channel.rows--;
            watermark.of(channel, row.watermark);
            take(row);
        } else {
            over[channel] = true;
            watermark.of(channel, RowTimes.END);
        }
    }

    private void take(Number row) {
        // to one of an attempt that is over rows may come without those before them
        if (host.keepsAll() && host.coordinator().attempt() == attempt()) {
            seen.take(row.partition, row.number);
        }
        Sum before = sums.getOrDefault(row.partition, Sum.NONE);
        Sum after = before.with(row.number, RowTimes.of(row.partition, row.number));
        sums.put(row.partition, after);
        boolean isLate = after.late > before.late;
        written.add(new Output(row.partition, row.number, after.numbers, new Lateness(isLate, after.late)));
        if (begun.add(row.partition) && isLate && deploy.from() > 0) {
            host.world.swarm.met(Mark.LATE_BY_A_RESTORED_CLOCK);
        }
    }

    /** A barrier was asked for. */
    void barrier(long epoch) {
        asked = epoch;
        freeze(epoch, "source", List.of(place));
        if (!sourceEnded) {
            deploy.members().forEach(each -> send(each, new InBand(epoch, ofSource())));
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
            reached.set(0, watermark.value());
            freeze(epoch, "sink", sinkStates());
        }
    }

    private void freeze(long epoch, String operator, List<? extends State> states) {
        EpochFile file = files.computeIfAbsent(epoch, any -> new EpochFile(deploy.folder().store(),
                new FolderPaths(EpochCoordinator.GRAPH).data(attempt(), epoch, host.place()),
                work -> host.world.soon(host, work), chain.begin(epoch)));
        Writing before = writing.remove(operator);
        if (before != null) {
            before.close();
        }
        Writing now = new Writing(file, operator, states);
        writing.put(operator, now);
        now.write();
        if (frozenParts.merge(epoch, 1, Integer::sum) == 2) {
            file.finish().whenComplete((all, failed) -> {
                if (failed == null) {
                    chain.durable(epoch, all);
                }
                host.frozen(this, epoch, all, failed);
            });
        }
    }

    /** Writes a snapshot as a task does: while the disk has all buffers it waits, until it is woken. */
    private final class Writing {
        private final InstanceSnapshot snapshot;
        private boolean waits;

        Writing(EpochFile file, String operator, List<? extends State> states) {
            snapshot = file.begin(operator, deploy.instance(), states, this::woken);
        }

        void write() {
            try {
                InstanceSnapshot.SliceResult last = InstanceSnapshot.SliceResult.WORKED;
                while (last == InstanceSnapshot.SliceResult.WORKED) {
                    last = snapshot.write();
                }
                waits = last == InstanceSnapshot.SliceResult.WAITS;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        /** Gives up what is not written yet, as a task does before it freezes the next. */
        void close() {
            waits = false;
            snapshot.close();
        }

        private void woken() {
            if (waits) {
                waits = false;
                host.world.soon(host, this::write);
            }
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
