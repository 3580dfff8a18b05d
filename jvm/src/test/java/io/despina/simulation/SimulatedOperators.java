package io.despina.simulation;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Sink;
import io.despina.operator.Source;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Operators of the simulator's graphs. Each packet carries where it stems from, its event time, and the path it has taken:
 * packets of one path have passed the same channels, so they must stay in order.
 */
final class SimulatedOperators {
    static final int SOURCE = 0;
    static final int TIME = 1;
    static final int PATH = 2;
    static final int FILLER = 3;
    static final Schema SCHEMA = Schema.of(new Column("source", Simple.INT, false), new Column("time", Simple.BIGINT, false),
            new Column("path", Simple.BIGINT, false), new Column("filler", Simple.BINARY, true));
    private static final byte[] BYTES = new byte[1 << 20];

    /** What a sink has seen of one packet. */
    record Row(int source, long time, long path) {
    }

    private SimulatedOperators() {
    }

    static void write(PacketWriter out, Packet packet, int port, int task) {
        write(out, packet, port, task, 0);
    }

    /** @param filler bytes of it, or 0 for those of the packet */
    static void write(PacketWriter out, Packet packet, int port, int task, int filler) {
        out.begin();
        out.setInt(SOURCE, packet.getInt(SOURCE));
        out.setLong(TIME, packet.getLong(TIME));
        out.setLong(PATH, packet.getLong(PATH) * 1_000_003 + task * 8L + port);
        if (filler > 0) {
            out.setBytes(FILLER, BYTES, 0, filler);
        } else if (packet.isNull(FILLER)) {
            out.setNull(FILLER);
        } else {
            int from = packet.valueStart(FILLER);
            out.setBytes(FILLER, packet.bytes(), from, packet.valueEnd() - from);
        }
        out.commit();
    }

    /** Numbers from 0, event time rising by one; sometimes it waits. */
    static final class NumberSource implements Source {
        private final int id;
        private final long count;
        private final Random random;
        private final int largest;
        private Output out;
        private long next;

        NumberSource(int id, long count, long seed, int largest) {
            this.id = id;
            this.largest = largest;
            this.count = count;
            random = new Random(seed);
        }

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
        }

        @Override
        public boolean blocks() {
            return count % 4 == 0;
        }

        @Override
        public long produce(long now) {
            out.due(now);
            int batch = 1 + random.nextInt(40);
            for (int k = 0; k < batch && next < count && out.hasRoom(); k++) {
                PacketWriter writer = out.writer().begin();
                writer.setInt(SOURCE, id);
                writer.setLong(TIME, next++);
                writer.setLong(PATH, id);
                if (random.nextInt(4) == 0) {
                    writer.setNull(FILLER);
                } else {
                    writer.setBytes(FILLER, BYTES, 0, random.nextInt(20) == 0 ? largest : random.nextInt(60));
                }
                writer.commit();
            }
            out.watermark(next, false);
            if (random.nextInt(30) == 0) {
                out.idle();
            }
            return next == count ? ENDED : random.nextInt(8) == 0 ? now + random.nextInt(3_000_000) : now;
        }
    }

    /** Each packet so many times, some of them swollen; may yield between two copies of one. */
    static final class Multiplier implements Operator {
        private static final int SWELLS = 5;
        private final int task;
        private final int copies;
        private final int swollen;
        private Output out;
        private int written;

        /** @param swollen bytes of filler in what becomes large here; 0 if nothing does */
        Multiplier(int task, int copies, int swollen) {
            this.task = task;
            this.copies = copies;
            this.swollen = swollen;
        }

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
        }

        @Override
        public boolean blocks() {
            return copies == 3;
        }

        @Override
        public void process(int port, PacketCursor packets) {
            while (out.hasRoom()) {
                Packet packet = packets.next();
                if (packet == null) {
                    return;
                }
                while (written < copies && out.hasRoom()) {
                    write(out.writer(), packet, port, task, packet.getLong(TIME) % SWELLS == 0 ? swollen : 0);
                    written++;
                }
                if (written < copies) {
                    packets.unread();
                    return;
                }
                written = 0;
            }
        }
    }

    /** Even times by port 0, odd ones by port 1. */
    static final class Split implements Operator {
        private final int task;
        private Output even;
        private Output odd;

        Split(int task) {
            this.task = task;
        }

        @Override
        public void open(OperatorContext context) {
            even = context.output(0);
            odd = context.output(1);
        }

        @Override
        public void process(int port, PacketCursor packets) {
            while (even.hasRoom() && odd.hasRoom()) {
                Packet packet = packets.next();
                if (packet == null) {
                    return;
                }
                boolean isEven = packet.getLong(TIME) % 2 == 0;
                write((isEven ? even : odd).writer(), packet, isEven ? 0 : 1, task);
            }
        }
    }

    /** As an as-of join: packets of the left wait as state until both watermarks have passed them; the right's are taken in. */
    static final class AsOf implements Operator {
        private final int task;
        private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
        private final Packet view = new Packet(SCHEMA.layout());
        private Output out;

        AsOf(int task) {
            this.task = task;
        }

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
        }

        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet packet = packets.next(); packet != null; packet = packets.next()) {
                if (port == 0) {
                    waiting.add(packet.copy());
                }
            }
        }

        @Override
        public boolean watermark(long watermark) {
            for (int left = waiting.size(); left > 0; left--) {
                byte[] bytes = waiting.peek();
                view.wrap(bytes, 0, bytes.length);
                if (view.getLong(TIME) >= watermark) {
                    waiting.add(waiting.poll());
                } else if (!out.hasRoom()) {
                    rotateBack(left);
                    return false;
                } else {
                    waiting.poll();
                    write(out.writer(), view, 0, task);
                }
            }
            return true;
        }

        /** Keeps the order of arrival: what has not been looked at goes behind what has been kept. */
        private void rotateBack(int left) {
            for (int k = waiting.size() - left; k > 0; k--) {
                waiting.addFirst(waiting.pollLast());
            }
        }
    }

    /** Keeps what comes, and holds that nothing comes before the watermark. */
    static final class Collect implements Sink {
        private final List<Row> rows;
        private final List<Row> visible;
        private long watermark = Long.MIN_VALUE;
        private boolean ended;

        Collect(List<Row> visible) {
            this.visible = visible;
            rows = new ArrayList<>();
        }

        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet p = packets.next(); p != null; p = packets.next()) {
                Row row = new Row(p.getInt(SOURCE), p.getLong(TIME), p.getLong(PATH));
                if (ended) {
                    throw new IllegalStateException(row + " after the end");
                }
                rows.add(row);
            }
        }

        @Override
        public boolean watermark(long micros) {
            if (micros <= watermark) {
                throw new IllegalStateException("watermark " + micros + " after " + watermark);
            }
            watermark = micros;
            return true;
        }

        @Override
        public boolean end() {
            ended = true;
            return true;
        }

        @Override
        public boolean commits() {
            return true;
        }

        @Override
        public CompletableFuture<Void> commit(long epoch) {
            visible.addAll(rows);
            return DONE;
        }
    }
}
