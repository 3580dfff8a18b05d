package io.despina.control;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** What a job's collect and console sinks in this resource give to Python, within bounds: {@link #MOST} ahead of it per sink. */
final class Outlets {
    /** Bytes of rows, or characters of lines, that may be on their way to Python, per sink. */
    static final long MOST = 64 << 20;

    private final String job;
    private final Consumer<Message> coordinator;
    private final Map<String, Outlet> outlets = new ConcurrentHashMap<>();
    /** Written by control, read by sinks' threads: the job is to end, so no sink is to wait any more. */
    private volatile boolean stopped;

    Outlets(String job, Consumer<Message> coordinator) {
        this.job = job;
        this.coordinator = coordinator;
    }

    /** The way of that sink, all its instances here together. */
    Outlet of(String sink) {
        return outlets.computeIfAbsent(sink, Outlet::new);
    }

    void taken(Message.Taken taken) {
        of(taken.sink()).taken(taken.bytes());
    }

    /** No sink waits any more: what is in flight is worked off, and may then exceed the bound. */
    void stop() {
        stopped = true;
        outlets.values().forEach(Outlet::wake);
    }

    /** One sink's way to Python. Any thread may call it. */
    final class Outlet {
        private final String sink;
        /** Guarded by this. */
        private long onTheWay;

        private Outlet(String sink) {
            this.sink = sink;
        }

        /** Whole packets, one after the other; waits while too many are on their way. */
        void rows(byte[] packets) throws InterruptedException {
            await(packets.length);
            coordinator.accept(new Message.Rows(job, sink, packets));
        }

        /** Whole lines; waits while too many are on their way. */
        void lines(List<String> lines) throws InterruptedException {
            await(lines.stream().mapToLong(String::length).sum());
            coordinator.accept(new Message.Lines(job, sink, lines));
        }

        private synchronized void await(long more) throws InterruptedException {
            while (onTheWay >= MOST && !stopped) {
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
