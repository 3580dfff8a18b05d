package io.despina.operator.connect;

import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.connect.Records;
import io.despina.operator.OperatorContext;
import io.despina.operator.connect.ReadParts.ReadPart;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.RecordDecoder.BadRecords;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.inflow.InflowSource;
import io.despina.packet.NestedWriter;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Never;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads partitions whose server gives their records again from any place. A snapshot has the position in each partition, so that
 * the job goes on there; at another parallelism each instance takes its own of them. Watermarks are made partition by partition,
 * and the least of them counts.
 */
public final class PositionSource extends InflowSource<TakenRecords> {
    /** Characters of a bad record in its message. */
    private static final int SHOWN = 1_000;
    /** What waits here, what the library has read ahead, and what is on its way into the queue when that is full. */
    private static final int BUFFERS = 3;

    private final PositionSourceOptions options;
    private final NamedEntries state = new NamedEntries("positions", this::texts);
    private final NestedWriter nested = new NestedWriter();
    /** Positions of epochs that are not known to be complete, by epoch. */
    private final TreeMap<Long, Map<String, String>> epochs = new TreeMap<>();
    /** Packets of the value alone; null where that is all. */
    private ScratchPackets values;
    private PositionReader reader;
    private ReadParts partitions;
    /** What is read now, or null. */
    private TakenRecords taken;
    private ReadPart partition;
    /** Whether rows of the current record are still to be sent, and how many have been. */
    private boolean pending;
    private long sent;
    /** Of the record that is read first, so many rows had left in an earlier attempt; or {@link ReadParts#UNREAD}. */
    private long known = ReadParts.UNREAD;
    /** Written by the reader's thread. */
    private volatile Exception failure;

    public PositionSource(PositionSourceOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        begin(opened, options.metadata().schema(), options.eventTime(), options.bounds().bufferBytes());
        decoder = new RecordDecoder(options.records(), valueTime(), options.parsers(), badRecords());
        values = options.metadata().columns().isEmpty() ? null : new ScratchPackets(options.records().schema());
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

    /** For the reader of values: rows go through {@link #values} where there are other columns, and their time is read later. */
    private EventTime valueTime() {
        return options.metadata().columns().isEmpty() ? options.eventTime() : null;
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
        if (taken != null) {
            partitions.times.turn(partition.time, now);
        }
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
                    return options.from().ends() && partitions.haveEnded() ? ENDED : WHEN_WOKEN;
                }
                turn(now);
            } else {
                budget -= next();
            }
        }
        return now;
    }

    private void turn(long now) {
        Records records = taken.records();
        partition = partitions.of(records.partition(), records.at(), now);
        partitions.times.turn(partition.time, now);
        boolean isThere = records.at().equals(partition.position);
        known = isThere ? partition.rows : ReadParts.UNREAD;
        partition.rows = ReadParts.UNREAD;
    }

    private void sendNext(Packet packet) {
        sent++;
        if (sent > known) {
            send(packet);
        }
    }

    /** Decodes the next record, or leaves those that are read. @return what it costs */
    private int next() throws Exception {
        Records records = taken.records();
        if (pending) {
            pending = false;
            known = ReadParts.UNREAD;
        }
        if (!records.next()) {
            partition.position = records.behind();
            partition.rows = ReadParts.UNREAD;
            if (records.isLast()) {
                partition.ended = true;
                partitions.times.end(partition.time);
            }
            inflow.done(taken);
            taken = null;
            return 1;
        }
        if (records.value() == null) {
            takeEmpty(records);
            return 1;
        }
        int size = records.to() - records.from();
        if (size > options.bounds().recordBytes()) {
            refuse("the record is longer than max_record_bytes=" + options.bounds().recordBytes());
        } else if (isBlank(records)) {
            refuse("the record is empty");
        } else if (values == null && known == ReadParts.UNREAD && decoder.decodeInto(taken, out.writer(), watermarks)) {
            wrote = true;
        } else {
            decode(records);
        }
        return size + 1;
    }

    private void decode(Records records) throws Exception {
        rows.clear();
        if (values == null) {
            decoder.decode(taken, rows);
        } else {
            values.clear();
            if (!decoder.decodeInto(taken, values.writer(), null)) {
                decoder.decode(taken, values);
            }
            Packet packet;
            while ((packet = values.next()) != null) {
                compose(packet, records);
            }
        }
        pending = true;
        sent = 0;
    }

    /** @param value null for a record without one */
    private void compose(Packet value, Records records) {
        PacketWriter to = rows.writer().begin();
        int own = options.records().schema().size();
        for (int k = 0; k < own; k++) {
            if (value == null) {
                to.setNull(k);
            } else {
                to.setColumn(k, value, k);
            }
        }
        List<MetadataColumn> columns = options.metadata().columns();
        for (int k = 0; k < columns.size(); k++) {
            columns.get(k).write(records, to, own + k, nested);
        }
        to.commit();
    }

    private void takeEmpty(Records records) throws Exception {
        if (!options.metadata().emptyBy()) {
            context.badRecord(records.where() + ": the record has no value: it says that its key is deleted", "");
            return;
        }
        rows.clear();
        compose(null, records);
        pending = true;
        sent = 0;
    }

    private boolean isBlank(Records records) {
        if (options.records().format().isWhole()) {
            return false;
        }
        for (int k = records.from(); k < records.to(); k++) {
            if (records.value()[k] < 0 || records.value()[k] > ' ') {
                return false;
            }
        }
        return true;
    }

    private void refuse(String why) throws Exception {
        known = ReadParts.UNREAD;
        int length = Math.min(SHOWN, taken.end() - taken.start());
        context.badRecord(taken.where() + ": " + why, options.records().format() == FileFormat.RAW ? ""
                : new String(taken.bytes(), taken.start(), length, StandardCharsets.UTF_8));
    }

    @Override
    protected void settle() {
        rows.letGo();
    }

    private Map<String, String> texts() {
        if (taken != null) {
            partition.position = pending ? taken.records().at() : taken.records().behind();
            partition.rows = pending ? Math.max(sent, known) : known;
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
        if (reader != null) {
            reader.close();
        }
    }

    /** What the reader sees of this source. */
    private final class Host implements ReaderHost {
        @Override
        public String operator() {
            return context.operatorId();
        }

        @Override
        public int instance() {
            return context.instance();
        }

        @Override
        public int parallelism() {
            return context.parallelism();
        }

        @Override
        public boolean hasRoom() {
            return inflow.hasRoom();
        }

        @Override
        public void whenRoom(Runnable resume) {
            inflow.whenRoom(resume);
        }

        @Override
        public void put(Records records) {
            inflow.put(new TakenRecords(records));
        }

        @Override
        public void failed(Exception why) {
            failure = why;
            context.wake();
        }

        @Override
        public void warn(String what) {
            context.warn(what);
        }
    }
}
