package io.despina.spark.fold;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.Answered;
import io.despina.operator.DeadLetter;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketJson;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.plan.PlannedOperator;
import io.despina.spark.function.SparkPython;
import io.despina.spec.OnError;
import io.despina.state.State;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.spark.TaskContext;

/** An instance of a planned operator outside a task. What it emits stays in memory until it is read. */
final class SteppedOperator implements OperatorContext, AutoCloseable {
    /** So often it is looked whether the task is to end. */
    private static final long LOOK_MICROS = 1_000_000;
    /** Of a bad record so many characters are told. */
    private static final int LONGEST_RECORD = 200;

    private final PlannedOperator spec;
    private final Operator operator;
    private final boolean restored;
    private final int port;
    private final Memory[] outputs;
    /** Whether its results are dead letters; else nobody reads these. */
    private final boolean givesLetters;
    private final PacketCursor results;
    /** The operator itself, if its packets are answered by somebody else; else null. */
    private final Answered answered;
    /** Released by any thread that wakes it. */
    private final Semaphore woken = new Semaphore(0);
    /** When it is called though nothing wakes it, in microseconds since 1970. */
    private long callAt = NEVER;

    /**
     * @param restored whether {@link #restored} follows
     * @param port     the output of {@link #results}
     */
    SteppedOperator(PlannedOperator spec, Operator operator, boolean restored, int port) {
        this.port = port;
        this.spec = spec;
        this.operator = operator;
        this.restored = restored;
        answered = operator instanceof Answered later ? later : null;
        givesLetters = spec.onError() == OnError.DEAD_LETTER && port == spec.outputIndex("errors");
        outputs = spec.outputs().stream().map(each -> new Memory(each.schema())).toArray(Memory[]::new);
        results = PacketCursor.reusing(spec.outputs().get(port).schema().layout());
        try {
            operator.open(this);
        } catch (Exception e) {
            throw failed(e);
        }
        read();
    }

    /** What it keeps between packets. */
    List<State> states() {
        return operator.states();
    }

    void restored() {
        try {
            operator.restored();
        } catch (Exception e) {
            throw failed(e);
        }
    }

    /** Takes packets of that port, all of them or until the results must be read. */
    void process(int port, PacketCursor packets) {
        clear();
        try {
            operator.process(port, packets);
        } catch (Exception e) {
            throw failed(e);
        }
        read();
    }

    /** As {@link Operator#watermark}, of all inputs; on false the results must be read first. */
    boolean watermark(long micros) {
        clear();
        boolean done;
        try {
            for (int port = 0; port < spec.inputs().size(); port++) {
                operator.inputWatermark(port, micros);
            }
            done = operator.watermark(micros);
        } catch (Exception e) {
            throw failed(e);
        }
        read();
        return done;
    }

    /** The operator itself, if its packets are answered by somebody else; else null. */
    Answered answered() {
        return answered;
    }

    /** Waits until its packets are answered, if somebody else does that. @return false if the results must be read first */
    boolean settle() {
        if (answered == null || answered.isAnswered()) {
            return true;
        }
        clear();
        try {
            answered.timer(wallMicros());
            while (!answered.isAnswered() && outputs[port].isEmpty()) {
                if (hasRoom()) {
                    await();
                } else {
                    clear();        // of a port that nobody reads
                }
                answered.timer(wallMicros());
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw failed(new InterruptedException("its task is to end"));
        } catch (Exception e) {
            throw failed(e);
        }
        read();
        return answered.isAnswered();
    }

    private void await() throws InterruptedException {
        woken.tryAcquire(Math.max(0, Math.min(LOOK_MICROS, callAt - wallMicros())), TimeUnit.MICROSECONDS);
        woken.drainPermits();
        TaskContext task = TaskContext.get();
        if (task != null) {
            task.killTaskIfInterrupted();
        }
    }

    @Override
    public void wake() {
        woken.release();
    }

    @Override
    public void wakeAt(long micros) {
        if (answered == null) {
            OperatorContext.super.wakeAt(micros);
        }
        callAt = micros;
    }

    /** As {@link Operator#end}; on false the results must be read first. */
    boolean end() {
        clear();
        boolean done;
        try {
            done = operator.end();
        } catch (Exception e) {
            throw failed(e);
        }
        read();
        return done;
    }

    @Override
    public boolean hasRoom() {
        return outputs[0].hasRoom() && outputs[port].hasRoom();
    }

    /** What the last call emitted by that port. It must be read before the next call. */
    PacketCursor results() {
        return results;
    }

    @Override
    public void close() {
        try {
            operator.close();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void clear() {
        for (Memory output : outputs) {
            output.clear();
        }
    }

    private void read() {
        PacketWriter written = outputs[port].writer;
        results.reset(written.bytes(), 0, written.position());
    }

    /** Without its cause: a driver that was started without our jar could not read an exception of ours. */
    private IllegalStateException failed(Exception cause) {
        IllegalStateException told = new IllegalStateException("operator " + spec.id() + ": " + cause.getMessage());
        told.setStackTrace(cause.getStackTrace());
        return told;
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
    public boolean isRestored() {
        return restored;
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

    /** Spark hands over rows in event order, so these are late by another order: of values. The port `late` has no form there. */
    @Override
    public void countLate() {
    }

    @Override
    public void warn(String what) {
        SparkPython.tell(spec.id(), what);
    }

    @Override
    public void badRecord(Exception why, Packet packet) throws Exception {
        if (answered == null) {
            throw why;
        }
        badRecord(Reason.of(why), PacketJson.text(spec.inputs().get(0).schema(), packet));
    }

    @Override
    public void badRecord(String why, String record) throws IOException {
        if (spec.onError() == OnError.FAIL) {
            throw new IOException(why + ": " + Reason.shortened(record, LONGEST_RECORD));
        }
        if (givesLetters) {
            DeadLetter.write(outputs[port].writer, why, spec.id(), record, maxPacketBytes());
        }
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

        boolean isEmpty() {
            return writer.position() == 0;
        }

        @Override
        public void makeRoom(PacketWriter w, int needed) {
            // What is written stays where it is, so that all of it can be read from one region.
            int used = w.position();
            byte[] larger = Arrays.copyOf(w.bytes(), Math.max(used + needed, 2 * w.bytes().length));
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
            // Spark has its own.
        }

        @Override
        public void idle() {
            // Spark has its own watermarks.
        }
    }
}
