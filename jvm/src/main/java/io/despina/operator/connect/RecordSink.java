package io.despina.operator.connect;

import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.Retries;
import io.despina.operator.outbox.LeavingSink;
import io.despina.operator.record.LineBuffer;
import io.despina.operator.record.RecordEncoder;
import io.despina.operator.record.registry.Registration;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.spec.FileFormat;
import io.despina.state.ScratchPacket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Writes each packet as a record of a server. No record is on its way when a barrier goes on. */
public class RecordSink implements LeavingSink {
    private static final byte[][] NO_PAIRS = {};

    /** A record that the server does not take. */
    private record Refused(String why, String record) {
    }

    private final RecordSinkOptions options;
    private final Queue<Refused> refused = new ConcurrentLinkedQueue<>();
    private final LineBuffer line = new LineBuffer();
    private OperatorContext context;
    private RecordWriter writer;
    private RecordEncoder encoder;
    private Projection parts;
    private ScratchPacket partsOfRow;
    private byte[][] names;
    /** The columns of the value; null where they are those of the input. */
    private ScratchPacket value;
    private final Packet[] row = new Packet[1];
    /** Whether its records have the number of their schema, if they are to have one. */
    private boolean registered;
    /** Of the next row since {@link #begin}. */
    private long number;

    public RecordSink(RecordSinkOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        open(opened, false);
    }

    @Override
    public void openForLater(OperatorContext opened) throws Exception {
        open(opened, true);
    }

    private void open(OperatorContext opened, boolean later) throws Exception {
        context = opened;
        context.stateBytes(options.to().bufferBytes());
        encoder = new RecordEncoder(options.records(), options.formatters(), options.value().schema());
        value = options.value().schema().equals(context.input(0)) ? null : new ScratchPacket(options.value().schema().layout());
        if (options.parts().compiled() != null) {
            parts = options.parts().compiled().instance(context.instance());
            partsOfRow = new ScratchPacket(options.parts().schema().layout());
        }
        names = options.parts().names().stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
        writer = options.to().connector().load().writer(options.to().settings(), new Host());
        writer.open(later);
        registered = options.to().registration() == null;
        if (!later) {
            register();
        }
    }

    /** Before the first record: waits for a registry that is away, as for the server. */
    private void register() throws IOException, InterruptedException {
        if (!registered) {
            Retries retries = new Retries(context, options.to().settings().whole("retry_for_ms"), Retries.Waiting.REAL);
            Registration registration = options.to().registration();
            if (options.records().format() == FileFormat.PROTOBUF) {
                encoder.begin(registration.protobuf(options.records().options(), options.value().schema(), retries));
            } else {
                encoder.begin(registration.id(encoder.avroSchema(), retries));
            }
            registered = true;
        }
    }

    final RecordWriter writer() {
        return writer;
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public void begin(String outbox, long epoch) throws Exception {
        number = 0;
        writer.begin(outbox, epoch);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        register();
        Packet packet;
        while (handOver() && (packet = packets.next()) != null) {
            write(packet);
        }
    }

    private void write(Packet packet) throws Exception {
        long own = number++;
        Packet of = value == null ? packet : select(packet);
        byte[] bytes = null;
        if (options.records().format().isWhole()) {
            if (!of.isNull(0)) {
                int from = of.valueStart(0);
                bytes = Arrays.copyOfRange(of.bytes(), from, of.valueEnd());
            }
        } else {
            line.cut(0);
            try {
                encoder.encode(of, line);
            } catch (MalformedPacketException broken) {
                throw broken;
            } catch (RuntimeException why) {
                context.badRecord(why, packet);
                return;
            }
            int end = options.records().format().isText() ? 1 : 0;
            bytes = Arrays.copyOf(line.bytes(), line.size() - end);
        }
        Row record = record(own, packet, bytes);
        if (record.target == null && options.parts().hasTarget()) {
            context.badRecord(new IllegalArgumentException("where the row is sent to is NULL"), packet);
        } else {
            writer.write(record);
        }
    }

    private Packet select(Packet packet) {
        PacketWriter to = value.begin();
        List<Integer> columns = options.value().columns();
        for (int k = 0; k < columns.size(); k++) {
            to.setColumn(k, packet, columns.get(k));
        }
        return value.commit();
    }

    private Row record(long own, Packet packet, byte[] bytes) {
        if (parts == null) {
            return new Row(own, null, null, bytes, NO_PAIRS);
        }
        row[0] = packet;
        parts.apply(row, partsOfRow.begin());
        Packet found = partsOfRow.commit();
        int at = 0;
        String target = null;
        if (options.parts().hasTarget()) {
            byte[] text = bytes(found, at++);
            target = text == null ? null : new String(text, StandardCharsets.UTF_8);
        }
        byte[] key = options.parts().hasKey() ? bytes(found, at++) : null;
        byte[][] pairs = names.length == 0 ? NO_PAIRS : new byte[2 * names.length][];
        for (int k = 0; k < names.length; k++) {
            pairs[2 * k] = names[k];
            pairs[2 * k + 1] = bytes(found, at + k);
        }
        return new Row(own, target, key, bytes, pairs);
    }

    private static byte[] bytes(Packet packet, int column) {
        if (packet.isNull(column)) {
            return null;
        }
        int from = packet.valueStart(column);
        return Arrays.copyOfRange(packet.bytes(), from, packet.valueEnd());
    }

    /** Hands what the server did not take to {@code on_error}. @return whether none is left */
    final boolean handOver() throws Exception {
        while (!refused.isEmpty() && context.hasRoom()) {
            Refused next = refused.poll();
            context.badRecord(next.why, next.record);
        }
        return refused.isEmpty();
    }

    @Override
    public boolean timer(long micros) throws Exception {
        return handOver();
    }

    @Override
    public boolean release() throws Exception {
        writer.flush();
        return handOver();
    }

    @Override
    public void cut() {
        writer.cut();
    }

    @Override
    public void close() throws IOException {
        if (writer != null) {
            writer.close();
        }
    }

    private record Row(long number, String target, byte[] key, byte[] value, byte[][] pairs) implements Outgoing {
    }

    /** What the writer sees of this sink. */
    private final class Host implements WriterHost {
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
        public void refused(String why, byte[] of) {
            refused.add(new Refused(why, of == null ? "" : new String(of, StandardCharsets.UTF_8)));
            context.wake();
        }

        @Override
        public boolean failsOnRefused() {
            return context.failsOnBadRecord();
        }

        @Override
        public void warn(String what) {
            context.warn(what);
        }
    }
}
