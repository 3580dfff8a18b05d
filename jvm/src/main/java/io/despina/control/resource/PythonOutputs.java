package io.despina.control.resource;

import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a job's collect and console sinks in this resource give to Python, within bounds: {@link #MOST} ahead of it per sink, and
 * {@link #MOST_STOPPING} when the job is to end, as what is in flight then is to be worked off whoever takes it.
 */
public final class PythonOutputs {
    /** Bytes of rows, or characters of lines, that may be on their way to Python, per sink. */
    public static final long MOST = 64 << 20;
    static final long MOST_STOPPING = 4 * MOST;

    private final Attempt attempt;
    private final ToCoordinator coordinator;
    private final Map<String, SinkOutput> outlets = new ConcurrentHashMap<>();
    /** Written by control, read by sinks' threads: the job is to end. */
    private volatile boolean stopping;

    PythonOutputs(Attempt attempt, ToCoordinator coordinator) {
        this.attempt = attempt;
        this.coordinator = coordinator;
    }

    /** The way of that sink, all its instances here together. */
    public SinkOutput of(String sink) {
        return outlets.computeIfAbsent(sink, SinkOutput::new);
    }

    void taken(Message.Taken taken) {
        of(taken.sink()).taken(taken.bytes());
    }

    /** The job is to end: the bound is {@link #MOST_STOPPING} from now on. */
    void stop() {
        stopping = true;
        outlets.values().forEach(SinkOutput::wake);
    }

    /** One sink's way to Python. Any thread may call it. */
    final class SinkOutput {
        private final String sink;
        /** Guarded by this. */
        private long onTheWay;

        private SinkOutput(String sink) {
            this.sink = sink;
        }

        /** Whole packets, one after the other; waits while too many are on their way. */
        void rows(byte[] packets) throws InterruptedException {
            await(packets.length);
            coordinator.tellInTurn(new Message.Rows(attempt, sink, packets));
        }

        /** Whole lines; waits while too many are on their way. */
        void lines(List<String> lines) throws InterruptedException {
            await(lines.stream().mapToLong(String::length).sum());
            coordinator.tellInTurn(new Message.Lines(attempt, sink, lines));
        }

        private synchronized void await(long more) throws InterruptedException {
            while (onTheWay >= (stopping ? MOST_STOPPING : MOST)) {
                wait();
            }
            onTheWay += more;
        }

        private synchronized void taken(long bytes) {
            onTheWay -= bytes;
            notifyAll();
        }

        private synchronized void wake() {
            notifyAll();
        }
    }
}
