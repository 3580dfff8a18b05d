package io.despina.control.assembly;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.plan.PlannedOperator;
import java.io.IOException;
import java.util.function.LongSupplier;

/** Feeds an operator packet by packet, with a watermark before each new time, and keeps what it gives until that is read. */
final class FoldedOperator implements OperatorContext {
    private final PlannedOperator spec;
    private final Operator operator;
    private final int time;
    private final PacketCursor input;
    private final PacketCursor results;
    private final Memory[] outputs;
    private long now = Long.MIN_VALUE;
    /** A packet that was not processed yet; or null. */
    private Packet taken;
    /** Whether the last watermark has been passed on. */
    private boolean passed = true;
    private boolean ending;
    private boolean flushed;
    private Packet result;

    FoldedOperator(PlannedOperator spec, Operator operator) {
        this.spec = spec;
        this.operator = operator;
        time = spec.inputs().get(0).eventTime().column();
        input = PacketCursor.reusing(spec.inputs().get(0).schema().layout());
        outputs = spec.outputs().stream().map(port -> new Memory(port.schema())).toArray(Memory[]::new);
        results = PacketCursor.reusing(spec.outputs().get(0).schema().layout());
        results.reset(new byte[0], 0, 0);
        try {
            operator.open(this);
        } catch (Exception e) {
            throw failed(e);
        }
    }

    void take(Packet packet) {
        taken = packet;
        long at = packet.isNull(time) ? Long.MIN_VALUE : packet.getLong(time);
        passed = at <= now;
        now = Math.max(now, at);
    }

    void endInput() {
        ending = true;
    }

    /** Goes on to the next result of what was taken; false if there is none, and the operator is done with it. */
    boolean next() {
        while (results.isEmpty() && (taken != null || ending)) {
            for (Memory output : outputs) {
                output.clear();
            }
            try {
                step();
            } catch (Exception e) {
                throw failed(e);
            }
            PacketWriter written = outputs[0].writer();
            results.reset(written.bytes(), 0, written.position());
        }
        if (results.isEmpty()) {
            return false;
        }
        result = results.next();
        return true;
    }

    Packet packet() {
        return result;
    }

    /** As in a task: a call that found no room continues when it is repeated. */
    private void step() throws Exception {
        if (taken == null) {
            end();
            return;
        }
        passed = passed || operator.watermark(now);
        if (passed && hasRoom()) {
            input.reset(taken.bytes(), taken.start(), taken.end());
            operator.process(0, input);
            taken = null;
        }
    }

    private void end() throws Exception {
        flushed = flushed || operator.watermark(Long.MAX_VALUE);
        if (flushed && operator.end()) {
            operator.close();
            ending = false;
        }
    }

    private IllegalStateException failed(Exception cause) {
        return new IllegalStateException("operator " + spec.id() + ": " + cause.getMessage(), cause);
    }

    @Override
    public String operatorId() {
        return spec.id();
    }

    @Override
    public int instance() {
        return 0;
    }

    @Override
    public int parallelism() {
        return 1;
    }

    @Override
    public Schema input(int port) {
        return spec.inputs().get(port).schema();
    }

    @Override
    public Output output(int port) {
        return outputs[port];
    }

    @Override
    public LongSupplier clock() {
        return System::nanoTime;
    }

    @Override
    public void countLate() {
        throw new IllegalStateException("sorted rows cannot be late");
    }

    @Override
    public void badRecord(Exception why, Packet packet) throws Exception {
        throw why;
    }

    @Override
    public void badRecord(String why, String record) throws IOException {
        throw new IOException(why);
    }

    @Override
    public void stateBytes(long bytes) {
        // Spark counts its own memory.
    }

    /** An output that keeps what is written until it is cleared. */
    private static final class Memory implements Output, PacketWriter.Regions {
        private static final int FIRST_BYTES = 4096;
        /** Filled beyond this, it has no room. */
        private static final int ROOM = 64 << 10;

        private final PacketWriter writer;

        Memory(Schema schema) {
            writer = new PacketWriter(schema.layout(), this);
            writer.open(new byte[FIRST_BYTES], 0, FIRST_BYTES);
        }

        void clear() {
            writer.open(writer.bytes(), 0, writer.bytes().length);
        }

        @Override
        public void makeRoom(PacketWriter w, int needed) {
            // What is written stays where it is, so that all of it can be read from one region.
            int used = w.position();
            byte[] larger = java.util.Arrays.copyOf(w.bytes(), Math.max(used + needed, 2 * w.bytes().length));
            w.move(larger, used, larger.length);
        }

        @Override
        public PacketWriter writer() {
            return writer;
        }

        @Override
        public boolean hasRoom() {
            return writer.position() < ROOM;
        }

        @Override
        public void due(long nanos) {
            // Spark measures no latency.
        }

        @Override
        public void watermark(long micros, boolean exact) {
            // Sorted rows need none.
        }

        @Override
        public void idle() {
            // Sorted rows need none.
        }
    }
}
