package io.despina.operator.connect;

import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.connect.Records;
import io.despina.operator.OperatorContext;
import io.despina.operator.connect.ReadParts.ReadPart;
import io.despina.operator.record.RecordDecoder.BadRecords;
import io.despina.operator.source.inflow.InflowSource;
import io.despina.packet.Packet;
import io.despina.spec.Never;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads partitions whose server gives their records again from any place. A snapshot has the position in each partition, so that
 * the job goes on there; at another parallelism each instance takes its own of them. Watermarks are made partition by partition,
 * and the least of them counts.
 */
public final class PositionSource extends InflowSource<TakenRecords> {
    /** What waits here, what the library has read ahead, and what is on its way into the queue when that is full. */
    private static final int BUFFERS = 3;

    private final PositionSourceOptions options;
    private final NamedEntries state = new NamedEntries("positions", this::texts);
    /** Positions of epochs that are not known to be complete, by epoch. */
    private final TreeMap<Long, Map<String, String>> epochs = new TreeMap<>();
    private RecordRows records;
    private PositionReader reader;
    private ReadParts partitions;
    /** What is read now, or null. */
    private TakenRecords taken;
    private ReadPart partition;
    /** Whether rows of the current record are still to be sent, and how many have been. */
    private boolean pending;
    private long sent;
    /** Whether the current record is to be taken when its schema is known. */
    private boolean awaits;
    /** Of the record that is read first, so many rows had left in an earlier attempt; or {@link ReadParts#UNREAD}. */
    private long known = ReadParts.UNREAD;
    /** Whether there was more to read than {@link #read} could, when it returned last. */
    private boolean busy;
    /** Written by the reader's thread. */
    private volatile Exception failure;

    public PositionSource(PositionSourceOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        begin(opened, options.metadata().schema(), options.eventTime(), options.bounds().bufferBytes());
        records = new RecordRows(new RecordRows.Options(options.records(), options.metadata(), options.eventTime(),
                options.parsers(), options.bounds().recordBytes(), opened.maxPacketBytes()), rows, badRecords());
        if (options.from().registry() != null) {
            records.readBy(options.from().registry().asking(context));
        }
        context.stateBytes(BUFFERS * options.bounds().bufferBytes());
        partitions = new ReadParts(options.eventTime() == null ? Never.NEVER : options.eventTime().idleAfterNanos());
        if (watermarks != null) {
            watermarks.divide(partitions.times);
        }
        reader = options.from().connector().load().reader(options.from().settings(), new Host());
        if (!context.isRestored()) {
            start(Map.of());
        }
    }

    private void start(Map<String, String> from) throws Exception {
        long now = context.clock().getAsLong();
        for (PositionReader.Start each : reader.open(from, context.isRestored())) {
            partitions.add(each.partition(), each.position(), each.isWaiting(), now);
        }
        reader.start();
    }

    @Override
    protected BadRecords badRecords() {
        return (why, record) -> {
            if (known == ReadParts.UNREAD) {
                context.badRecord(why, record);
            }
        };
    }

    @Override
    protected long read(long now) throws Exception {
        if (failure != null) {
            throw failure;
        }
        if (busy) {
            partitions.times.busy(now);
        }
        if (taken != null) {
            partitions.times.turn(partition.time, now);
        }
        busy = true;
        for (int budget = BATCH_BYTES; budget > 0 && context.hasRoom();) {
            Packet packet = pending ? rows.next() : null;
            if (packet != null) {
                budget -= packet.size();
                sendNext(packet);
            } else if (stopped) {
                return ENDED;
            } else if (taken == null) {
                taken = inflow.poll();
                if (taken == null) {
                    busy = false;
                    return options.from().ends() && partitions.haveEnded() ? ENDED : WHEN_WOKEN;
                }
                turn(now);
            } else {
                budget -= next();
                if (awaits) {
                    return WHEN_WOKEN;
                }
            }
        }
        return now;
    }

    private void turn(long now) {
        Records next = taken.records();
        partition = next.passage() == Records.Passage.READ ? partitions.of(next.partition(), next.at(), now)
                : partitions.moved(next.partition(), next.at(), next.passage() == Records.Passage.DRAINED, now);
        partitions.times.turn(partition.time, now);
        // the record of which rows have left may be gone: rows of another one are new
        known = next.behind().equals(partition.position) ? partition.rows : ReadParts.UNREAD;
    }

    private void sendNext(Packet packet) {
        sent++;
        if (sent > known) {
            send(packet);
        }
    }

    /** Decodes the next record, or leaves those that are read. @return what it costs */
    private int next() throws Exception {
        Records next = taken.records();
        if (pending) {
            pending = false;
            known = ReadParts.UNREAD;
        }
        if (!awaits && !next.next()) {
            partition.rows = next.behind().equals(partition.position) ? known : ReadParts.UNREAD;
            partition.position = next.behind();
            if (next.isLast()) {
                partition.ended = true;
                partitions.times.end(partition.time);
            }
            inflow.done(taken);
            taken = null;
            return 1;
        }
        awaits = !records.isReady(next);
        if (awaits) {
            return 1;
        }
        switch (records.take(next, known == ReadParts.UNREAD ? out.writer() : null, watermarks)) {
            case WRITTEN -> wrote = true;
            case ROWS -> {
                pending = true;
                sent = 0;
            }
            case BAD -> known = ReadParts.UNREAD;
        }
        return next.value() == null ? 1 : next.to() - next.from() + 1;
    }

    @Override
    protected void settle() {
        rows.letGo();
    }

    private Map<String, String> texts() {
        if (taken != null) {
            boolean within = pending && !rows.isRead();
            partition.position = within || awaits ? taken.records().at() : taken.records().behind();
            partition.rows = within ? Math.max(sent, known) : pending ? ReadParts.UNREAD : known;
        }
        return partitions.texts();
    }

    @Override
    public boolean stop() {
        stopped = true;
        reader.stop();
        return true;
    }

    @Override
    public List<State> states() {
        List<State> states = super.states();
        states.add(0, state);
        return states;
    }

    @Override
    public void restored() throws Exception {
        super.restored();
        start(partitions.restore(state.restored()));
    }

    @Override
    public void barrier(long epoch) {
        texts();
        epochs.put(epoch, partitions.positions());
    }

    @Override
    public void acknowledge(long epoch) {
        Map.Entry<Long, Map<String, String>> complete = epochs.floorEntry(epoch);
        epochs.headMap(epoch, true).clear();
        if (complete != null) {
            reader.acknowledge(complete.getValue());
        }
    }

    @Override
    public void close() throws IOException {
        if (records != null) {
            records.close();
        }
        if (reader != null) {
            reader.close();
        }
    }

    /** What the reader sees of this source. */
    private final class Host extends InflowHost implements ReaderHost {
        Host() {
            super(context, inflow);
        }

        @Override
        public void put(Records given) {
            inflow.put(new TakenRecords(given));
        }

        @Override
        public void behind(long records) {
            context.behindRecords(records);
        }

        @Override
        protected void fail(Exception why) {
            failure = why;
        }
    }
}
