package io.despina.operator.connect;

import io.despina.connect.RecordContent;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.RecordDecoder.BadRecords;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.RecordView;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.record.registry.AvroOfRegistry;
import io.despina.operator.record.registry.ProtobufOfRegistry;
import io.despina.operator.record.registry.RegisteredReader;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.NestedWriter;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.registry.RegistryException;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/** Makes rows of records: the columns of the value, and those of what is beside it. */
final class RecordRows {
    /** Characters of a bad record in its message. */
    private static final int SHOWN = 1_000;

    /**
     * What it is told.
     *
     * @param records     how a record's value is written
     * @param metadata    what is beside the value
     * @param eventTime   or null
     * @param parsers     gives Spark's parser for what the byte-level reader does not read; called when first needed
     * @param recordBytes that a value may have
     * @param packetBytes that a row may have
     */
    record Options(RecordFormat.Read records, PositionSourceOptions.Columns metadata, EventTime eventTime,
            Function<TextOptions, RecordParser> parsers, int recordBytes, int packetBytes) {
    }

    /** What has become of a record. */
    enum Taken {
        /** It is a row of the output. */
        WRITTEN,
        /** Its rows are to be sent; there may be none. */
        ROWS,
        /** It is none. */
        BAD
    }

    private final Options options;
    private final ScratchPackets rows;
    private final BadRecords bad;
    private final RecordDecoder decoder;
    private final NestedWriter nested = new NestedWriter();
    private final View view = new View();
    /** Null without a registry. */
    private RegisteredReader registered;
    /** Packets of the value alone; null where that is all. */
    private final ScratchPackets values;
    /** Bytes of a record that may be written at once. */
    private final int shortRecord;

    /** @param rows takes those that are to be sent */
    RecordRows(Options options, ScratchPackets rows, BadRecords bad) {
        this.options = options;
        this.rows = rows;
        this.bad = bad;
        boolean alone = options.metadata.columns().isEmpty();
        // with other columns rows go through `values`, and their time is read later
        decoder = new RecordDecoder(options.records, alone ? options.eventTime : null, options.parsers, bad);
        values = alone ? null : new ScratchPackets(options.records.schema());
        shortRecord = ScratchPackets.shortRecord(options.records.schema(), options.packetBytes);
    }

    /** The schemas of records are in a registry. */
    void readBy(RegisteredReader.Asking asking) {
        registered = decoder.readBy((columns, defaults) -> new RegisteredReader(asking,
                options.records.format() == FileFormat.PROTOBUF ? new ProtobufOfRegistry(options.records.options(), columns,
                defaults) : new AvroOfRegistry(columns, defaults)));
    }

    /** Whether the record can be taken; if not, the task is woken when it can. */
    boolean isReady(RecordContent record) throws RegistryException {
        return registered == null || record.value() == null || registered.isReady(record.value(), record.from(), record.to());
    }

    void close() {
        if (registered != null) {
            registered.close();
        }
    }

    /** When records came whose server does not say it, in microseconds since 1970. */
    void arrived(long micros) {
        view.arrived = micros;
    }

    /** @param direct where a row may go at once; null if it may not */
    Taken take(RecordContent record, PacketWriter direct, Watermarks watermarks) throws Exception {
        view.record = record;
        if (record.value() == null) {
            return takeEmpty(record);
        }
        if (record.problem() != null) {
            return refuse(record.problem());
        }
        if (record.to() - record.from() > options.recordBytes) {
            return refuse("the record is longer than max_record_bytes=" + options.recordBytes);
        }
        if (isBlank(record)) {
            return refuse("the record is empty");
        }
        if (values == null && direct != null && record.to() - record.from() <= shortRecord
                && decoder.decodeInto(view, direct, watermarks)) {
            return Taken.WRITTEN;
        }
        decode(record);
        String tooLong = rows.tooLong(options.packetBytes);
        if (tooLong == null) {
            return Taken.ROWS;
        }
        rows.clear();
        return refuse(tooLong);
    }

    private void decode(RecordContent record) throws Exception {
        rows.clear();
        if (values == null) {
            decoder.decode(view, rows);
            return;
        }
        values.clear();
        if (!decoder.decodeInto(view, values.writer(), null)) {
            decoder.decode(view, values);
        }
        Packet packet;
        while ((packet = values.next()) != null) {
            compose(packet, record);
        }
    }

    /** @param value null for a record without one */
    private void compose(Packet value, RecordContent record) {
        PacketWriter to = rows.writer().begin();
        int own = options.records.schema().size();
        for (int k = 0; k < own; k++) {
            if (value == null) {
                to.setNull(k);
            } else {
                to.setColumn(k, value, k);
            }
        }
        List<MetadataColumn> columns = options.metadata.columns();
        for (int k = 0; k < columns.size(); k++) {
            columns.get(k).write(record, to, own + k, nested);
        }
        to.commit();
    }

    private Taken takeEmpty(RecordContent record) throws Exception {
        if (!options.metadata.emptyBy()) {
            bad.take(record.where() + ": " + record.without(), "");
            return Taken.BAD;
        }
        rows.clear();
        compose(null, record);
        String tooLong = rows.tooLong(options.packetBytes);
        if (tooLong == null) {
            return Taken.ROWS;
        }
        rows.clear();
        bad.take(record.where() + ": " + tooLong, "");
        return Taken.BAD;
    }

    private boolean isBlank(RecordContent record) {
        if (options.records.format().isWhole() || !options.records.format().isText()) {
            return false;
        }
        for (int k = record.from(); k < record.to(); k++) {
            if (record.value()[k] < 0 || record.value()[k] > ' ') {
                return false;
            }
        }
        return true;
    }

    private Taken refuse(String why) throws Exception {
        int length = Math.min(SHOWN, view.end() - view.start());
        bad.take(view.where() + ": " + why, !options.records.format().isText() ? ""
                : new String(view.bytes(), view.start(), length, StandardCharsets.UTF_8));
        return Taken.BAD;
    }

    /** The record that is read, as decoders want it. */
    private static final class View implements RecordView {
        private RecordContent record;
        private long arrived = Long.MIN_VALUE;

        @Override
        public byte[] bytes() {
            return record.value();
        }

        @Override
        public int start() {
            return record.from();
        }

        @Override
        public int end() {
            return record.to();
        }

        @Override
        public String where() {
            return record.where();
        }

        @Override
        public long arrived() {
            return record.arrived() == Long.MIN_VALUE ? arrived : record.arrived();
        }
    }
}
