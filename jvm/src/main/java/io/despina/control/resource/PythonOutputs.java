package io.despina.control.resource;

import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends the output of a job's collect and console sinks in this resource to Python. At most {@link #MOST} per sink is ahead of
 * Python, and {@link #MOST_STOPPING} while the job ends, because packets in flight must then be processed even if Python takes
 * nothing.
 */
public final class PythonOutputs {
    /** The most bytes of rows, or characters of lines, on their way to Python, per sink. */
    public static final long MOST = 64 << 20;
    static final long MOST_STOPPING = 4 * MOST;

    private final Attempt attempt;
    private final ToCoordinator coordinator;
    private final Map<String, SinkOutput> outlets = new ConcurrentHashMap<>();
    /** Whether the job is ending. Written by control, read by sinks' threads. */
    private volatile boolean stopping;

    PythonOutputs(Attempt attempt, ToCoordinator coordinator) {
        this.attempt = attempt;
        this.coordinator = coordinator;
    }

    /** The output of all instances of that sink in this resource. */
    public SinkOutput of(String sink) {
        return outlets.computeIfAbsent(sink, SinkOutput::new);
    }

    void taken(Message.Taken taken) {
        of(taken.sink()).taken(taken.bytes());
    }

    /** The job is ending: raises the bound to {@link #MOST_STOPPING}. */
    void stop() {
        stopping = true;
        outlets.values().forEach(SinkOutput::wake);
    }

    /** One sink's output to Python. Any thread may call it. */
    final class SinkOutput {
        private final String sink;
        /** Guarded by this. */
        private long onTheWay;

        private SinkOutput(String sink) {
            this.sink = sink;
        }

        /** Sends whole packets, one after the other. Blocks while too many are on their way. */
        void rows(byte[] packets) throws InterruptedException {
            await(packets.length);
            coordinator.tellInTurn(new Message.Rows(attempt, sink, packets, null));
        }

        /** Sends whole lines. Blocks while too many are on their way. */
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
